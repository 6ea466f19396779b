import OffersCore
import Testing

@Suite("JSON lines")
struct LineFeedTests {
  private static let yaml = "format: ndjson\nid: id\nfields: {name: name, terms: more.terms}"
  private static let found = "id: id\nfields: {name: name, terms: more.terms}"

  @Test("each line is an item, with a declared or a detected format", arguments: [yaml, found])
  func lines(yaml: String) throws {
    let reading = try YAMLReading(
      yaml,
      """
      {"id":1,"name":"A","more":{"terms":"x"}}
      {"id":2,"name":"B"}
      {"id":3,"name":"C\\nD"}
      """)
    #expect(reading.isClean)
    #expect(
      reading.offers == [
        [.id: "1", .name: "A", .terms: "x"], [.id: "2", .name: "B"], [.id: "3", .name: "C D"],
      ])
  }

  @Test(
    "blank lines, CRLF, a byte order mark and a missing final line end are accepted",
    arguments: [
      "\n\n{L1}\n\n\n{L2}\n\n", "{L1}\r\n{L2}\r\n", "\r\n{L1}\r\n\r\n{L2}", "{L1}\n{L2}",
      "\u{FEFF}{L1}\n{L2}\n", "  {L1}  \n\t{L2}\t\n \n", "{L1}{L2}", "{L1} {L2}",
    ])
  func blankLines(template: String) throws {
    let document = template.replacing("{L1}", with: #"{"id":1,"name":"A"}"#)
      .replacing("{L2}", with: #"{"id":2,"name":"B"}"#)
    for yaml in [Self.yaml, Self.found] {
      let reading = try YAMLReading(yaml, document)
      #expect(reading.isClean)
      #expect(reading.ids == ["1", "2"])
    }
  }

  @Test(
    "an invalid line affects that line only",
    arguments: [
      #"{"id":2,"name":"B""#, #"{"id":2,"name":"B"#, #"{"id":2,"name":"B"]"#, "oops", "{", "}",
      #"{"id":2 "name":"B"}"#, #"{"id":02,"name":"B"}"#, #"{"id":2,"name":"\x"}"#, "<html>",
      #"{"id":2,"name":"B",}"#, #"{"id":2,"name":}"#, "[1,", "tru", "-", "\"", "{\"id\":2,\u{1}}",
    ])
  func brokenLine(line: String) throws {
    let reading = try YAMLReading(
      Self.yaml, "{\"id\":1,\"name\":\"A\"}\n\(line)\n{\"id\":3,\"name\":\"C\"}\n")
    #expect(reading.error == nil)
    #expect(reading.ids == ["1", "3"])
    #expect(reading.skips.count == 1)
    #expect(reading.skips.first?.hasPrefix("2: not valid JSON: ") == true)
    #expect(reading.itemCount == 3)
  }

  @Test("each of several invalid lines is counted, even the first")
  func brokenLines() throws {
    let reading = try YAMLReading(
      Self.yaml,
      "oops\r\n{\"id\":1,\"name\":\"A\"}\r\n{\"id\":\r\n{\"id\":\n{\"id\":2,\"name\":\"B\"}\n")
    #expect(reading.error == nil)
    #expect(reading.ids == ["1", "2"])
    #expect(reading.skips.map { $0.prefix(2) } == ["1:", "3:", "4:"])
  }

  @Test(
    "a last line that is cut off is refused, since more lines may be missing",
    arguments: [
      #"{"id":2,"name":"B""#, #"{"id":2,"na"#, "{", #"{"id":2"#, #"{"id":2,"name":"B\"#, "nul",
    ])
  func cutOff(line: String) throws {
    for yaml in [Self.yaml, Self.found] {
      let reading = try YAMLReading(yaml, "{\"id\":1,\"name\":\"A\"}\n\(line)")
      if yaml == Self.yaml || line.hasPrefix("{") {
        #expect(reading.error?.code == .malformedFeed)
      }
      #expect(reading.ids.count <= 1)
      #expect(reading.error != nil)
    }
  }

  @Test("a line that is not an object is skipped with its type")
  func otherLines() throws {
    let reading = try YAMLReading(
      Self.yaml, "{\"id\":1,\"name\":\"A\"}\n7\nnull\n\"x\"\n[{\"id\":9,\"name\":\"X\"}]\ntrue\n")
    #expect(reading.error == nil)
    #expect(reading.ids == ["1"])
    #expect(
      reading.skips == [
        "2: a number, expected an object", "3: null, expected an object",
        "4: a text, expected an object", "5: a list, expected an object",
        "6: true or false, expected an object",
      ])
  }

  @Test("an empty document is refused", arguments: ["", "\n", " \r\n\r\n"])
  func empty(document: String) throws {
    for yaml in [Self.yaml, Self.found] {
      #expect(try YAMLReading(yaml, document).error?.code == .malformedFeed)
    }
  }

  @Test("a single object is one item, with or without a declared format")
  func single() throws {
    #expect(try YAMLReading(Self.yaml, #"{"id":1,"name":"A"}"#).ids == ["1"])
    #expect(try YAMLReading(Self.found, #"{"id":1,"name":"A"}"#).ids == ["1"])
  }
}
