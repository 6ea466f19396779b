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
    arguments: [nil, "iso-8859-1", "ISO-8859-1", "latin1", "utf-8", "UTF-8", "us-ascii"])
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

  @Test("UTF-8 is detected even if the server declares Latin-1")
  func wronglyLatin() throws {
    let document = #"{"title":"Über","rows":[{"title":"Bébé ☕ 日本"}]}"#
    for charset in ["iso-8859-1", "windows-1252", "utf-16", "nonsense"] {
      let reading = try YAMLReading(Self.facts, Array(document.utf8), charset: charset)
      #expect(reading.names == ["Bébé ☕ 日本"], "\(charset)")
    }
  }

  @Test("windows-1252 includes quotes, dashes and the euro sign, unlike Latin-1")
  func windows() throws {
    let document =
      Array(#"{"rows":[{"title":"A"#.utf8) + [0x96] + Array("B".utf8) + [0x80, 0x31, 0x93, 0x94]
      + Array(#""}]}"#.utf8)
    for charset in [nil, "iso-8859-1", "windows-1252"] {
      #expect(
        try YAMLReading(Self.facts, document, charset: charset).names == ["A–B€1“”"])
    }
  }

  @Test("the definition's encoding takes precedence over the server's and the document's")
  func definitionWins() throws {
    let yaml = Self.facts + "\nencoding: windows-1251"
    let document = Array(#"{"rows":[{"title":""#.utf8) + [0xCF, 0xF0, 0xE8] + Array(#""}]}"#.utf8)
    #expect(try YAMLReading(yaml, document, charset: "iso-8859-1").names == ["При"])
    let xml =
      Array("<?xml version='1.0' encoding='utf-8'?><x><o><n>".utf8) + [0xCF, 0xF0, 0xE8]
      + Array("</n></o></x>".utf8)
    let reading = try YAMLReading(
      "items: x.o\nid: n\nfields: {name: n}\nencoding: windows-1251", xml)
    #expect(reading.names == ["При"])
    #expect(reading.isClean)
  }

  @Test("invalid bytes are replaced and reported if the definition declares UTF-8")
  func certainUTF8() throws {
    let yaml = "id: id\nfields: {name: name}\nencoding: utf-8"
    let document = Array(#"[{"id":1,"name":"B"#.utf8) + [0xE9] + Array(#"b"}]"#.utf8)
    let reading = try YAMLReading(yaml, document, charset: "iso-8859-1")
    #expect(reading.names == ["B\u{FFFD}b"])
    #expect(reading.mends == ["1: name is not valid Unicode, marked with \u{FFFD}"])
  }

  @Test(
    "UTF-16 is read in both byte orders, with a byte order mark and without",
    arguments: [true, false])
  func utf16(isBigEndian: Bool) throws {
    func encode(_ text: String, mark: Bool) -> [UInt8] {
      ((mark ? "\u{FEFF}" : "") + text).utf16.flatMap { unit in
        let low = UInt8(truncatingIfNeeded: unit)
        let high = UInt8(truncatingIfNeeded: unit >> 8)
        return isBigEndian ? [high, low] : [low, high]
      }
    }
    let json = "{\"title\":\"Über\",\n\"rows\":[{\"title\":\"日本 😀 é\"}]}"
    let xml = "<?xml version=\"1.0\" encoding=\"utf-16\"?><x><o><n>日本 😀 é</n></o></x>"
    for mark in [true, false] {
      for charset in [nil, "utf-16", "utf-8", "iso-8859-1"] {
        let reading = try YAMLReading(Self.facts, encode(json, mark: mark), charset: charset)
        #expect(reading.isClean)
        #expect(reading.names == ["日本 😀 é"])
        #expect(reading.facts.title == "Über")
        let elements = try YAMLReading(
          "items: x.o\nid: n\nfields: {name: n}", encode(xml, mark: mark), charset: charset)
        #expect(elements.isClean)
        #expect(elements.names == ["日本 😀 é"])
      }
    }
  }

  @Test(
    "an XML declaration takes precedence over the server's charset",
    arguments: [
      ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>", nil, "é"),
      ("<?xml version='1.0' encoding='windows-1251' ?>", "iso-8859-1", "й"),
      ("<?xml version='1.0'?>", "windows-1251", "й"), ("", "windows-1251", "й"),
      ("<?xml version='1.0' encoding='UTF-8'?>", nil, "é"), ("", nil, "é"),
      ("\n<!-- x -->", nil, "é"),
    ])
  func prolog(prolog: String, charset: String?, text: String) throws {
    let yaml = "items: x.o\nid: '@id'\nfields: {name: n, terms: '@t'}"
    let document =
      Array("\(prolog)<x><o id='1' t='".utf8) + [0xE9] + Array("'><n>".utf8) + [0xE9]
      + Array("</n></o></x>".utf8)
    let reading = try YAMLReading(yaml, document, charset: charset)
    #expect(reading.error == nil)
    #expect(reading.offers == [[.id: "1", .name: text, .terms: text]])
  }

  @Test("a byte order mark takes precedence over all declarations")
  func mark() throws {
    let document = [0xEF, 0xBB, 0xBF] + Array(#"{"rows":[{"title":"é"}]}"#.utf8)
    for charset in [nil, "iso-8859-1", "utf-16", "windows-1251"] {
      #expect(try YAMLReading(Self.facts, document, charset: charset).names == ["é"])
    }
  }

  @Test("an unsupported encoding is an error only if the document is not ASCII")
  func unknown() throws {
    let yaml = "items: x.o\nid: n\nfields: {name: n}"
    let start = Array("<?xml version='1.0' encoding='klingon'?><x><o><n>A".utf8)
    let end = Array("</n></o></x>".utf8)
    #expect(try YAMLReading(yaml, start + end).names == ["A"])
    let error = try #require(try YAMLReading(yaml, start + [0xE9] + end).error)
    #expect(error.code == .malformedFeed)
    #expect(error.message.contains("klingon"))
  }
}
