import OffersCore
import Testing

@Suite("The encoding of a feed")
struct DocumentEncodingTests {
  private static let facts = """
    title: {from: title}
    items: rows
    id: {made-from: [title]}
    fields: {name: title, description: description, image: imageHref}
    """

  /// A document in Latin-1 that is not valid UTF-8.
  private static let latin = bytes(
    """
    {"title":"Über Kaña","rows":[{"title":"Bébé","description":"Größe: 10 £ ¿qué?",
    "imageHref":null},{"title":null,"description":null,"imageHref":null},{"title":"Plain"}]}
    """)

  private static func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  @Test(
    "a Latin-1 document is read whatever the server declares",
    arguments: [nil, "iso-8859-1", "utf-8"])
  func latin(charset: String?) throws {
    let reading = try YAMLReading(Self.facts, Self.latin, charset: charset)
    #expect(reading.error == nil)
    #expect(reading.facts.title == "Über Kaña")
    #expect(reading.names == ["Bébé", "Plain"])
    #expect(reading.all(.description) == ["Größe: 10 £ ¿qué?", nil])
    #expect(reading.skips == ["2: no id"])
  }

  @Test("made ids do not depend on the encoding")
  func sameIDs() throws {
    let latin = try YAMLReading(Self.facts, Self.latin)
    let utf8 = try YAMLReading(
      Self.facts, String(String.UnicodeScalarView(Self.latin.map { Unicode.Scalar($0) })))
    #expect(latin.events == utf8.events)
    #expect(latin.facts == utf8.facts)
  }

  @Test("invalid bytes are replaced and reported if the definition declares UTF-8")
  func certainUTF8() throws {
    let yaml = "id: id\nfields: {name: name}\nencoding: utf-8"
    let document = Array(#"[{"id":1,"name":"B"#.utf8) + [0xE9] + Array(#"b"}]"#.utf8)
    let reading = try YAMLReading(yaml, document, charset: "iso-8859-1")
    #expect(reading.names == ["B\u{FFFD}b"])
    #expect(reading.mends == ["1: name is not valid Unicode, marked with \u{FFFD}"])
  }
}
