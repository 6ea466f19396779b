/// Validates UTF-8 (RFC 3629: no surrogates, no overlong forms).
enum UTF8Validation {
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    let count = bytes.count
    func continues(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      index + offset < count && range.contains(bytes[index + offset])
    }
    while index < count {
      let lead = bytes[index]
      switch lead {
      case 0x00...0x7F:
        index += 1
      case 0xC2...0xDF:
        guard continues(1) else { return false }
        index += 2
      case 0xE0...0xEF:
        let second: ClosedRange<UInt8> =
          lead == 0xE0 ? 0xA0...0xBF : lead == 0xED ? 0x80...0x9F : 0x80...0xBF
        guard continues(1, second), continues(2) else { return false }
        index += 3
      case 0xF0...0xF4:
        let second: ClosedRange<UInt8> =
          lead == 0xF0 ? 0x90...0xBF : lead == 0xF4 ? 0x80...0x8F : 0x80...0xBF
        guard continues(1, second), continues(2), continues(3) else { return false }
        index += 4
      default:
        return false
      }
    }
    return true
  }
}
