/// Writes JSON strings as bytes, so that texts in UTF-8 need not be converted to `String`.
enum JSONTextEncoder {
  /// Returns a text as a JSON string with its quotes.
  static func text(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &bytes) }
    return bytes
  }

  /// Appends a UTF-8 text as a JSON string.
  static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.append(0x22)
    for byte in text {
      switch byte {
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0x0A: bytes += [0x5C, 0x6E]
      case 0..<0x20:
        bytes += Array("\\u00".utf8) + [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
  }

  private static let hex = Array("0123456789abcdef".utf8)
}
