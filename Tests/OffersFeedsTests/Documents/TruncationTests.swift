import OffersCore
import OffersFeeds
import Testing

@Suite("Documents that are cut off")
struct TruncationTests {
  static let bareList = """
    [{"id":"1","name":"Caf\\u00e9 日本 \\ud83d\\ude00","x":[1.5e+3,-0,true,false,null,{"a":{}}]},
    {"id":22,"name":"B"},3,"t"]
    """
  static let nestedList =
    #"{"a":[[1],{"b":null}],"feed":{"n":12,"results":[{"id":"1","name":"A"}],"z":"q"},"y":0.5}"#

  @Test(
    "a document cut off at any byte is refused with the position", arguments: [[], [1], [5, 3]])
  func refusesEveryCut(pieceSizes: [Int]) throws {
    for (document, definition) in [
      (Self.bareList, FeedDefinition.ibotta), (Self.nestedList, .below("feed", "results")),
    ] {
      let bytes = Array(document.utf8)
      #expect(try FeedReading(bytes, as: definition, pieceSizes: pieceSizes).error == nil)
      for cut in 1..<bytes.count {
        let reading = try FeedReading(
          Array(bytes[..<cut]), as: definition, pieceSizes: pieceSizes)
        #expect(reading.error?.code == .malformedFeed)
        let message = reading.error?.message ?? ""
        #expect(
          message.hasPrefix("The document ends too early, at byte \(cut)"),
          "cut at byte \(cut): \(message)")
      }
    }
  }

  @Test("records before the cut are passed on, and none after it")
  func handsOverWhatCameBefore() throws {
    let whole = try FeedReading(Self.bareList)
    let bytes = Array(Self.bareList.utf8)
    for cut in bytes.indices {
      let reading = try FeedReading(Array(bytes[..<cut]))
      #expect(reading.events == Array(whole.events.prefix(reading.events.count)))
    }
  }

  @Test("the message names the record that is cut off")
  func namesTheRecord() throws {
    let reading = try FeedReading(#"[{"id":"1","name":"A"},{"id":"2","na"#)
    #expect(
      reading.error?.message == "The document ends too early, at byte 36 in record 2.")
    #expect(reading.error?.hint?.text.contains("sync again") == true)
    #expect(reading.ids == ["1"])
  }

  @Test("the message names no record outside the list")
  func namesNoRecordOutside() throws {
    let reading = try FeedReading(
      #"{"feed":{"results":[{"id":"1","name":"A"}]"#, as: .below("feed", "results"))
    #expect(reading.error?.message == "The document ends too early, at byte 42.")
  }

  @Test("an empty document is reported as such")
  func refusesNothing() throws {
    let error = try #require(try FeedReading("").error)
    #expect(error.code == .malformedFeed)
    #expect(error.message == "The document is empty.")
    #expect(error.hint != nil)
  }

  @Test(
    "whitespace or a byte order mark alone is refused",
    arguments: [" ", "\n\n\t \r\n", "\u{FEFF}", "\u{FEFF} "])
  func refusesBlank(document: String) throws {
    for sizes in [[], [1]] {
      let error = try #require(try FeedReading(document, pieceSizes: sizes).error)
      #expect(error.code == .malformedFeed)
      // Positions are counted after the byte order mark.
      let text = document.replacing("\u{FEFF}", with: "")
      #expect(
        error.message
          == (text.isEmpty
            ? "The document is empty."
            : "The document ends too early, at byte \(text.utf8.count)."))
    }
  }

  @Test("an incomplete byte order mark is refused")
  func refusesHalfMark() throws {
    for document: [UInt8] in [[0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0x5B, 0x5D]] {
      for sizes in [[], [1]] {
        #expect(try FeedReading(document, pieceSizes: sizes).error?.code == .malformedFeed)
      }
    }
  }
}
