/// Extracts the strings of a JSON list of strings, or of a list of lists of strings.
///
/// Reads what `JSONWriter` wrote; anything else is not validated.
package enum JSONTexts {
  /// All strings of a JSON document, in document order.
  package static func parse(_ json: String) -> [String] {
    var json = json
    var texts: [String] = []
    json.withUTF8 {
      forEach(in: UnsafeRawBufferPointer($0)) { texts.append(String(decoding: $0, as: UTF8.self)) }
    }
    return texts
  }

  /// Calls `body` with all strings of a JSON document, in document order. They and the document are in UTF-8.
  package static func forEach(
    in json: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    var place = 0
    while place < json.count {
      defer { place += 1 }
      if json[place] != 0x22 { continue }
      let start = place + 1
      place = start
      while place < json.count, json[place] != 0x22, json[place] != 0x5C { place += 1 }
      if place == json.count || json[place] == 0x22 {
        body(UnsafeRawBufferPointer(rebasing: json[start..<place]))
      } else {
        escapedText(json, start, &place).withUnsafeBytes(body)
      }
    }
  }

  /// A string with escaped characters.
  ///
  /// - Parameters:
  ///   - json: the document.
  ///   - start: where the string begins.
  ///   - place: its first escaped character; afterwards its closing quote, or the end of the document.
  private static func escapedText(
    _ json: UnsafeRawBufferPointer, _ start: Int, _ place: inout Int
  ) -> [UInt8] {
    var text = [UInt8](json[start..<place])
    while place < json.count, json[place] != 0x22 {
      defer { place += 1 }
      guard json[place] == 0x5C, place + 1 < json.count else {
        text.append(json[place])
        continue
      }
      place += 1
      switch json[place] {
      case 0x6E: text.append(0x0A)
      case 0x72: text.append(0x0D)
      case 0x74: text.append(0x09)
      case 0x62: text.append(0x08)
      case 0x66: text.append(0x0C)
      case 0x75:
        // JSONWriter writes no surrogate pairs: it escapes BMP characters only.
        let digits = String(decoding: json[place + 1..<min(place + 5, json.count)], as: UTF8.self)
        place = min(place + 4, json.count - 1)
        let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
        text += Array(String(Character(scalar ?? "\u{FFFD}")).utf8)
      case let escape: text.append(escape)
      }
    }
    return text
  }
}
