import OffersCore
import OffersFeeds
import Testing

@Suite("Limits of a document")
struct DocumentLimitTests {
  private static func nested(_ depth: Int, around: String = "") -> String {
    String(repeating: "[", count: depth) + around + String(repeating: "]", count: depth)
  }

  private static func nestedObjects(_ depth: Int) -> String {
    String(repeating: #"{"a":"#, count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
  }

  /// Documents with values nested to a depth, in every position where nesting is possible.
  private static func documents(depth: Int) -> [(String, FeedDefinition)] {
    let record = #"[{"id":"1","name":"A","FIELD":VALUE}]"#
    let below = FeedDefinition.below("feed")
    return [
      (nested(depth), FeedDefinition.ibotta),
      (nested(depth, around: "7"), FeedDefinition.ibotta),
      ("[\(nestedObjects(depth - 1))]", FeedDefinition.ibotta),
      (nestedObjects(depth), FeedDefinition.ibotta),
      (
        record.replacing("FIELD", with: "x").replacing("VALUE", with: nested(depth - 2)),
        FeedDefinition.ibotta
      ),
      (
        record.replacing("FIELD", with: "terms").replacing("VALUE", with: nestedObjects(depth - 2)),
        FeedDefinition.ibotta
      ),
      ("{\"x\":\(nested(depth - 1)),\"feed\":[]}", below),
      ("{\"feed\":[],\"x\":\(nestedObjects(depth - 1))}", below),
    ]
  }

  @Test("values nested 128 deep are read")
  func readsDeepValues() throws {
    for (document, definition) in Self.documents(depth: 128) {
      for sizes in [[], [1], [100]] {
        let code = try FeedReading(document, as: definition, pieceSizes: sizes).error?.code
        #expect(code == nil || code == .unexpectedShape, "\(document)")
      }
    }
  }

  @Test("values nested 129 deep are refused")
  func refusesDeeperValues() throws {
    for (document, definition) in Self.documents(depth: 129) {
      for sizes in [[], [1], [100]] {
        let error = try FeedReading(document, as: definition, pieceSizes: sizes).error
        #expect(error?.code == .malformedFeed, "\(document)")
        #expect(error?.message.contains("nested more than 128 deep") == true)
      }
    }
  }

  @Test("values of the definition's fields have the same depth limit")
  func boundsKnownPaths() throws {
    let path = [String](repeating: "a", count: 200)
    let definition = FeedDefinition.with([.id: ["id"], .name: ["name"], .terms: path])
    let fine = try FeedReading(
      #"[{"id":"1","name":"A","a":VALUE}]"#.replacing("VALUE", with: Self.nestedObjects(126)),
      as: definition)
    #expect(fine.error == nil)
    #expect(fine.ids == ["1"])
    let deep = try FeedReading(
      #"[{"id":"1","name":"A","a":VALUE}]"#.replacing("VALUE", with: Self.nestedObjects(127)),
      as: definition)
    #expect(deep.error?.code == .malformedFeed)
  }

  @Test(
    "a hundred thousand opening brackets are refused without a crash",
    arguments: ["[", #"{"a":"#, #"[{"a":"#])
  func survivesOpeningBrackets(opening: String) throws {
    let document = String(repeating: opening, count: 100_000)
    for sizes in [[], [64]] {
      let bare = try FeedReading(document, pieceSizes: sizes)
      #expect(bare.error?.code == .malformedFeed)
      let below = try FeedReading(document, as: .below("a", "a"), pieceSizes: sizes)
      #expect(below.error?.code == .malformedFeed)
    }
  }

  @Test("a record that grows past 16 MiB is refused")
  func refusesHugeRecord() throws {
    let start = Array(#"[{"id":"1","name":"A"},{"id":"2","terms":""#.utf8)
    let document = start + [UInt8](repeating: 0x61, count: 16 << 20) + Array(#"a"}]"#.utf8)
    let reading = try FeedReading(document, pieceSizes: [start.count + 16 << 20, 1])
    let error = try #require(reading.error)
    #expect(error.code == .limitExceeded)
    #expect(error.message == "A single record is larger than 16 MiB, at byte 23.")
    #expect(reading.ids == ["1"])
  }

  @Test("a record of almost 16 MiB is read")
  func readsLargeRecord() throws {
    let size = (16 << 20) - 100
    let document =
      Array(#"[{"id":"1","x":""#.utf8) + [UInt8](repeating: 0x61, count: size)
      + Array(#"","name":"A"},{"id":"2","name":"B"}]"#.utf8)
    let reading = try FeedReading(document, pieceSizes: [size, 1 << 20])
    #expect(reading.error == nil)
    #expect(reading.ids == ["1", "2"])
  }

  @Test("a document may exceed 16 MiB if its records do not")
  func readsLargeDocument() throws {
    let record = #"{"id":"1","name":"A","x":""# + String(repeating: "a", count: 4 << 20) + #""},"#
    let document = "[" + String(repeating: record, count: 5) + #"{"id":"2","name":"B"}]"#
    let reading = try FeedReading(document, pieceSizes: [3 << 20])
    #expect(reading.error == nil)
    #expect(reading.offers.count == 6)
  }
}
