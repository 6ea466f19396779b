import OffersCore
import Testing

@testable import OffersFeeds

@Suite("Suggestions for a wrong key in a definition")
struct NearestKeyTests {
  private static func hint(_ items: String, _ document: String) throws -> String? {
    let yaml = "items: \(items)\nid: id\nfields: {name: name}"
    let error = try YAMLReading(yaml, document).error
    #expect(error?.code == .unexpectedShape)
    return error?.hint?.text
  }

  @Test("a wrong path is reported with the nearest key and the keys at that level")
  func items() throws {
    let document =
      #"{"kind":"L","data":{"after":"x","children":[{"id":1,"name":"A"}],"z":{"y":1}}}"#
    #expect(
      try Self.hint("data.childs", document)
        == "Did you mean data.children? The keys of data: after, children, z.")
    #expect(
      try Self.hint("daten.children", document)
        == "Did you mean data.children? The keys of the top level: kind, data.")
    #expect(
      try Self.hint("data.z.rows", document) == "The keys of data.z: y.")
    #expect(
      try Self.hint("data.after", document)
        == "Check that the source is this feed's own document.")
    #expect(
      try Self.hint("shop.itms.offer", "<shop><items><offer/></items></shop>")
        == "Did you mean shop.items.offer for shop.itms.offer?")
  }

  @Test("a path into a document that is a list is reported with the correction")
  func bareList() throws {
    for items in ["items", "data.rows", "[a, b.c]"] {
      let yaml = "items: \(items)\nid: id\nfields: {name: name}"
      let error = try #require(try YAMLReading(yaml, #"[{"id":1,"name":"A"}]"#).error)
      #expect(error.code == .unexpectedShape)
      #expect(error.message.hasSuffix("; the document is a list itself."))
      #expect(error.hint?.text == "Write items: . or leave it out.")
    }
    let inner = "items: \"[0].rows\"\nid: id\nfields: {name: name}"
    let other = try #require(try YAMLReading(inner, #"[{"id":1,"name":"A"}]"#).error)
    #expect(other.message == "Expected a list of offers at [0].rows, found a list.")
    let guess = try #require(throws: OffersError.self) {
      try GuessReading(#"[{"id":1,"name":"A"}]"#, items: FieldPath(parsing: "data.items"))
    }
    #expect(
      guess.message == "Expected a list of offers at data.items; the document is a list itself.")
    #expect(guess.hint?.text == "Write items: . or leave it out.")
    let nested = try #require(throws: OffersError.self) {
      try GuessReading(#"{"data":{"items":[{"id":1}]}}"#, items: FieldPath(parsing: "data.itms"))
    }
    #expect(nested.hint?.text == "Did you mean data.items? The keys of data: items.")
  }

  @Test("at most twelve keys are listed")
  func bounds() throws {
    let keys = (1...30).map { #""key\#($0)":1"# }.joined(separator: ",")
    let hint = try #require(try Self.hint("offers", "{\(keys)}"))
    #expect(hint.hasSuffix("key11, key12 and 18 more."))
  }

  @Test("a record without its id or name is reported with its nearest key")
  func records() throws {
    let yaml = "id: id\nfields: {name: titel}"
    let reading = try YAMLReading(
      yaml, #"[{"ID":1,"title":"A"},{"id":2,"x":{"title":1},"title":"B"},{"id":3},{}]"#)
    #expect(
      reading.skips == [
        "1: no id; did you mean ID?", "2 (2): no name; did you mean title?", "3 (3): no name",
        "4: no id",
      ])
  }

  @Test("a document in an unknown format is reported as such, unless the format was declared")
  func otherFormats() throws {
    let yaml = "id: id\nfields: {name: name}"
    let found = try #require(try YAMLReading(yaml, "Nothing here").error)
    #expect(found.code == .malformedFeed)
    #expect(found.message == "The document is neither JSON, XML nor a table, at byte 0.")
    #expect(found.hint?.text.contains("owner") == false)
    for format in ["", "format: json\n", "format: csv\n"] {
      let calendar = try #require(try YAMLReading(format + yaml, "BEGIN:VCALENDAR\nEND:X").error)
      #expect(calendar.message == "The document is a calendar (iCalendar), not a feed.")
    }
    for (document, name) in [
      (
        "<?xml version='1.0'?><!-- x --><opml version='2.0'><body/></opml>",
        "a list of feeds (OPML)"
      ),
      ("<?mso-application progid='Excel.Sheet'?><Workbook/>", "a workbook (XML of Excel)"),
      ("<urlset xmlns='x'><url><loc>x</loc></url></urlset>", "a map of a site's pages"),
      ("{ \"format\": \"offers-export\", \"version\": 3}", "an export of this program"),
      ("{\\rtf1 x}", "a text document (RTF)"),
    ] {
      let error = try #require(try YAMLReading(yaml, document).error)
      #expect(error.message == "The document is \(name), not a feed.")
      #expect(error.hint?.printed.contains("::") == false)
    }
    let said = try #require(try YAMLReading("format: json\n" + yaml, "BEGIN").error)
    #expect(said.message.contains("is not valid JSON at byte 0"))
  }
}
