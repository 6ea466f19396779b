/// A multi-byte sequence of UTF-8 (RFC 3629: no surrogates, no overlong forms).
enum UTF8Sequence: Equatable {
  /// A complete sequence with its length, 2 to 4 bytes.
  case whole(Int)
  /// A valid start that is cut off by the end of the bytes.
  case cut
  case invalid

  /// Validates the sequence at `index`, whose first byte is above 0x7F.
  @inline(__always)
  static func find(in bytes: UnsafeRawBufferPointer, at index: Int) -> UTF8Sequence {
    let lead = bytes[index]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      if lead == 0xE0 { second = 0xA0...0xBF }
      if lead == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      length = 4
      if lead == 0xF0 { second = 0x90...0xBF }
      if lead == 0xF4 { second = 0x80...0x8F }
    default: return .invalid
    }
    guard index + 1 < bytes.count else { return .cut }
    guard second.contains(bytes[index + 1]) else { return .invalid }
    for place in 2..<max(length, 2) {
      guard index + place < bytes.count else { return .cut }
      guard bytes[index + place] & 0xC0 == 0x80 else { return .invalid }
    }
    return .whole(length)
  }

  /// Whether all bytes are valid UTF-8.
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if bytes[index] < 0x80 {
        index += 1
      } else if case .whole(let length) = find(in: bytes, at: index) {
        index += length
      } else {
        return false
      }
    }
    return true
  }
}
