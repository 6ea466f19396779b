/// The outlines of a list of feeds that is no XML, because attributes have unescaped quotes in them, as in
/// `description="a <a href="https://a.example">shop</a>"`.
///
/// Lists that programs put together without a library for XML are often like this. Only the attributes that a feed
/// needs are sought. An attribute ends at the quote before the next attribute, or before the end of the tag. The work
/// is linear in the size of the text.
enum OPMLOutlines {
  /// The attributes that are read, in lower case.
  private static let names = ["xmlurl", "title", "text"]
  /// The largest size of the name of an attribute.
  private static let nameBytes = 64

  /// The text of a list with the outlines that have an address; nil for a text whose end is missing.
  static func mended(_ text: [UInt8]) -> [UInt8]? {
    guard let last = text.lastIndex(where: { $0 > 0x20 }),
      isName("</opml>", at: last - 6, in: text)
    else { return nil }
    var result = Array("<opml><body>".utf8)
    var start = findOutline(in: text, from: 0)
    while start < text.count {
      let next = findOutline(in: text, from: start + 1)
      let attributes = attributes(in: text[start..<next])
      if !attributes.isEmpty { result += "<outline".utf8 + attributes + "/>\n".utf8 }
      start = next
    }
    return result + "</body></opml>".utf8
  }

  /// The index of the next `<outline`; the end of the text if there is none.
  private static func findOutline(in text: [UInt8], from start: Int) -> Int {
    var index = start
    while index < text.count {
      if text[index] == 0x3C, isName("<outline", at: index, in: text) { return index }
      index += 1
    }
    return index
  }

  /// Whether a name is at an index, in any case.
  private static func isName(_ name: StaticString, at index: Int, in text: [UInt8]) -> Bool {
    let count = name.utf8CodeUnitCount
    guard index >= 0, index + count <= text.count else { return false }
    return text[index..<(index + count)].withUnsafeBytes { CharacterScan.isSame($0, name) }
  }

  /// The attributes of an outline as XML has them, if the address is among them.
  private static func attributes(in outline: ArraySlice<UInt8>) -> [UInt8] {
    var found: [String: ArraySlice<UInt8>] = [:]
    var index = outline.startIndex
    while index < outline.endIndex {
      guard let (name, quote) = attribute(at: index, in: outline) else {
        index += 1
        continue
      }
      let known = names.contains(name) && found[name] == nil
      let end = known ? valueEnd(from: quote + 1, in: outline) : quote
      if known { found[name] = outline[(quote + 1)..<end] }
      index = end + 1
    }
    guard found["xmlurl"] != nil else { return [] }
    return names.flatMap { name -> [UInt8] in
      guard let value = found[name] else { return [] }
      let escaped = value.flatMap { byte -> [UInt8] in
        switch byte {
        case 0x22: Array("&quot;".utf8)
        case 0x3C: Array("&lt;".utf8)
        default: [byte]
        }
      }
      return Array(" \(name)=\"".utf8) + escaped + [0x22]
    }
  }

  /// The name of the attribute that begins at an index, behind a space, in lower case, and the index of the quote
  /// before its value.
  private static func attribute(
    at start: Int, in text: ArraySlice<UInt8>
  ) -> (name: String, quote: Int)? {
    guard text[start] <= 0x20 else { return nil }
    var index = start + 1
    let limit = min(text.endIndex, index + nameBytes)
    while index < limit, isNameByte(text[index]) { index += 1 }
    guard index > start + 1 else { return nil }
    let name = String(decoding: text[(start + 1)..<index], as: UTF8.self).lowercased()
    while index < limit, text[index] <= 0x20 { index += 1 }
    guard index < limit, text[index] == 0x3D else { return nil }
    index += 1
    while index < limit, text[index] <= 0x20 { index += 1 }
    return index < limit && (text[index] == 0x22 || text[index] == 0x27) ? (name, index) : nil
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    CharacterScan.isLetter(byte) || CharacterScan.isDigit(byte) || ":_-.".utf8.contains(byte)
  }

  /// The index of the quote that ends a value: the first one of its kind before another attribute, or before the end
  /// of the tag.
  private static func valueEnd(from start: Int, in text: ArraySlice<UInt8>) -> Int {
    let quote = text[start - 1]
    for index in start..<text.endIndex where text[index] == quote {
      let next = index + 1
      if next == text.endIndex || attribute(at: next, in: text) != nil { return index }
      var tag = next
      while tag < text.endIndex, tag < next + nameBytes, text[tag] <= 0x20 { tag += 1 }
      if tag == text.endIndex || text[tag] == 0x3E
        || text[tag] == 0x2F && tag + 1 < text.endIndex && text[tag + 1] == 0x3E
      {
        return index
      }
    }
    return text.endIndex
  }
}
