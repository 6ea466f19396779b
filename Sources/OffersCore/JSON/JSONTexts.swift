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
      var hasEscapes = false
      while place < json.count, json[place] != 0x22 {
        if json[place] == 0x5C {
          hasEscapes = true
          place += 1
        }
        place += 1
      }
      let text = UnsafeRawBufferPointer(rebasing: json[start..<min(place, json.count)])
      if hasEscapes { JSONEscapes.decode(text).text.withUnsafeBytes(body) } else { body(text) }
    }
  }
}
