/// Extracts the strings of a JSON list of strings, or of a list of lists of strings.
///
/// Reads what `JSONWriter` wrote; anything else is not validated.
package enum JSONTexts {
  /// All strings of a JSON document, in document order.
  package static func parse(_ json: String) -> [String] {
    var texts: [String] = []
    var bytes = json.utf8.makeIterator()
    while let byte = bytes.next() {
      if byte == 0x22 { texts.append(text(&bytes)) }
    }
    return texts
  }

  /// The string up to the closing quote.
  private static func text(_ bytes: inout String.UTF8View.Iterator) -> String {
    var text: [UInt8] = []
    while let byte = bytes.next(), byte != 0x22 {
      guard byte == 0x5C, let escape = bytes.next() else {
        text.append(byte)
        continue
      }
      switch escape {
      case 0x6E: text.append(0x0A)
      case 0x72: text.append(0x0D)
      case 0x74: text.append(0x09)
      case 0x62: text.append(0x08)
      case 0x66: text.append(0x0C)
      case 0x75:
        // JSONWriter writes no surrogate pairs: it escapes BMP characters only.
        let digits = (0..<4).compactMap { _ in bytes.next() }.map { Character(Unicode.Scalar($0)) }
        let scalar = UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init)
        text += Array(String(Character(scalar ?? "\u{FFFD}")).utf8)
      default: text.append(escape)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
