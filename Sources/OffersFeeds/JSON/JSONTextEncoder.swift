/// Writes JSON texts and lists.
enum JSONTextEncoder {
  /// Returns a text as a JSON string with its quotes.
  static func text(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 2)
    text.withBytes { append($0, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns values, which are JSON, as a JSON list.
  static func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

  private static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
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
