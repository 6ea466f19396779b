import OffersCore
import OffersFeeds
import Testing

@Suite("Documents that are not JSON")
struct MalformedDocumentTests {
  @Test(
    "text after the list is refused",
    arguments: ["x", "]", "}", ",", "[]", "{}", "null", "\u{0}", "\u{C}", "//", "\"", "<"])
  func refusesTrailingText(rest: String) throws {
    for sizes in [[], [1]] {
      let reading = try FeedReading(
        #"[{"id":"1","name":"A"}] "# + rest, pieceSizes: sizes)
      #expect(reading.error?.code == .malformedFeed)
      #expect(
        reading.error?.message == "The document is not valid JSON at byte 24 (line 1, column 25): "
          + "unexpected text after the end of the document.")
    }
  }

  @Test("whitespace after the list is accepted")
  func acceptsTrailingSpace() throws {
    #expect(try FeedReading("[] \n\r\t ").error == nil)
  }

  @Test(
    "a web page or XML is reported as such",
    arguments: [
      "<!DOCTYPE html><html>", "  \n<html lang=\"en\">", "\u{FEFF}<?xml version=\"1.0\"?>",
    ])
  func namesAWebPage(document: String) throws {
    for sizes in [[], [1]] {
      let error = try #require(try FeedReading(document, pieceSizes: sizes).error)
      #expect(error.code == .malformedFeed)
      #expect(error.message.contains("web page or XML"))
      #expect(error.hint?.text.contains("login") == true)
    }
  }

  @Test(
    "an angle bracket within the document is not a web page",
    arguments: ["[<", #"{"a":<"#, "{<", "[1,<"])
  func doesNotGuessAWebPage(document: String) throws {
    for sizes in [[], [1]] {
      let error = try #require(try FeedReading(document + "b>]", pieceSizes: sizes).error)
      #expect(error.code == .malformedFeed)
      #expect(error.message.contains("is not valid JSON at byte \(document.utf8.count - 1)"))
    }
  }

  /// Invalid documents, with the byte and the record of the error, and the reason.
  static let places: [(document: String, byte: Int, record: Int?, reason: String)] = [
    (#"hello"#, 0, nil, "expected a value"),
    (#"[{"id":"1","name":"A"},]"#, 23, 2, "expected a value"),
    (#"[{"id":"1","name":"A"} {"#, 23, 2, "expected a comma or the end of the list"),
    (#"[{"id":"1";"name":"A"}]"#, 10, 1, "expected a comma or the end of the object"),
    (#"[{"id" "1"}]"#, 7, 1, "expected a colon after the key"),
    (#"[{id:1}]"#, 2, 1, "expected a key in double quotes"),
    (#"[{"id":"1",}]"#, 11, 1, "expected a key in double quotes"),
    (#"[{"id":01}]"#, 8, 1, "expected a comma or the end of the object"),
    (#"[1,2,-x]"#, 6, 3, "a malformed number"),
    (#"[{"id":nul}]"#, 10, 1, "expected true, false or null"),
    (#"[{"id":"\q"}]"#, 9, 1, "an unknown escape inside a text"),
    (#"[{"id":"\u00zz"}]"#, 12, 1, "an unknown escape inside a text"),
    ("[{\"id\":\"a\nb\"}]", 9, 1, "a control character inside a text must be escaped"),
    ("[{\"id\":\"a\u{0}b\"}]", 9, 1, "a control character inside a text must be escaped"),
    (#"{"a":1,"b":[1,}"#, 14, nil, "expected a value"),
  ]

  @Test("the message has the byte, the record and the reason", arguments: places)
  func tellsThePlace(document: String, byte: Int, record: Int?, reason: String) throws {
    let item = record.map { " in record \($0)" } ?? ""
    for sizes in [[], [1], [4]] {
      let error = try #require(try FeedReading(document, pieceSizes: sizes).error)
      #expect(error.code == .malformedFeed)
      #expect(
        error.message == "The document is not valid JSON at byte \(byte)\(item) "
          + "(line 1, column \(byte + 1)): \(reason).")
      #expect(error.hint != nil)
    }
  }

  @Test("the byte is counted from the start of the document, however long it is")
  func countsBytesThroughout() throws {
    let record = #"{"id":"1","name":"A"},"#
    let document = "[" + String(repeating: record, count: 5000) + "?]"
    let byte = 1 + 5000 * record.utf8.count
    for sizes in [[], [1000], [997, 64]] {
      let reading = try FeedReading(document, pieceSizes: sizes)
      #expect(
        reading.error?.message
          == "The document is not valid JSON at byte \(byte) in record 5001 "
          + "(line 1, column \(byte + 1)): expected a value.")
      #expect(reading.offers.count == 5000)
    }
  }

  @Test("binary data is refused")
  func refusesBinary() throws {
    let gzip: [UInt8] = [0x1F, 0x8B, 0x08, 0x00, 0x00]
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]
    let zeros = [UInt8](repeating: 0, count: 100)
    for document in [gzip, png, zeros, [0x5B, 0x00, 0x00, 0x5D]] {
      for sizes in [[], [1]] {
        #expect(try FeedReading(document, pieceSizes: sizes).error?.code == .malformedFeed)
      }
    }
  }
}
