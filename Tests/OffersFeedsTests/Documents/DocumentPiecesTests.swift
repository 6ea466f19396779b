import OffersCore
import OffersFeeds
import Testing

@Suite("Documents in chunks")
struct DocumentPiecesTests {
  private static let oddities = """
    \u{FEFF}[
      {"id":"1","name":"Caf\\u00e9 \\ud83d\\ude00 \\"x\\" \\\\ 日本語 🥑","terms":"a\\r\\nb\\u000d\\u000ac"},
      {"id":1.5e+3,"name":"N","url":null,"description":"","deep":{"a":[[],[{}],-0.0,true,false]}},
      {"n\\u0061me":"escaped key","i\\u0064":"\\u0033"},
      {"name":"no id"}, 17, [1,[2]], "text", null,
      {"id":"4","name":"\\ud83d lone","current_value":{"amount":5}}
    ]\n
    """

  @Test("chunks of 1 to 64 bytes give the same result as one chunk", arguments: 1...64)
  func readsPiecesOfEverySize(size: Int) throws {
    let whole = try FeedReading(Self.oddities)
    #expect(whole.error == nil)
    #expect(whole.ids == ["1", "1500", "3", "4"])
    #expect(whole.offers.first?[.name] == "Café 😀 \"x\" \\ 日本語 🥑")
    #expect(try FeedReading(Self.oddities, pieceSizes: [size]) == whole)
  }

  @Test("a document divided at any byte gives the same result as one chunk")
  func readsTwoPieces() throws {
    let bytes = Array(Self.oddities.utf8)
    let whole = try FeedReading(bytes)
    for cut in 1..<bytes.count {
      #expect(
        try FeedReading(bytes, pieceSizes: [cut, bytes.count]) == whole, "cut at byte \(cut)")
    }
  }

  @Test("invalid bytes divided between chunks are repaired as in one chunk")
  func readsInvalidBytesInPieces() throws {
    let bytes: [UInt8] =
      Array(#"[{"id":"1","name":"a"#.utf8) + [0xE2, 0x82, 0x41, 0xFF, 0xF0, 0x9F]
      + Array(#"b"}]"#.utf8)
    let whole = try FeedReading(bytes)
    #expect(whole.mends.count == 1)
    for size in 1...12 { #expect(try FeedReading(bytes, pieceSizes: [size]) == whole) }
  }

  @Test("a record of megabytes in small chunks is read")
  func readsLargeRecordInSmallPieces() throws {
    let long = String(repeating: "x", count: 13 << 20)
    let reading = try FeedReading(
      #"[{"id":"1","name":"A","other":""# + long + #"","terms":"Once."}]"#, pieceSizes: [50_000])
    #expect(reading.error == nil)
    #expect(reading.offers.first?[.terms] == "Once.")
  }

  @Test("empty chunks are ignored")
  func readsEmptyPieces() throws {
    let sink = RecordingSink()
    let reader = FeedReader(definition: FeedDefinition.ibotta, sink: sink)
    for piece in ["", "[{\"id\":\"1", "", "\",\"name\":\"A\"}", "", "]", ""] {
      var piece = piece
      try piece.withUTF8 { try reader.consume(UnsafeRawBufferPointer($0)) }
    }
    try reader.finish()
    #expect(sink.events == [.offer(position: 1, texts: [.id: "1", .name: "A"])])
  }

  @Test("a chunk with a record larger than the buffer is read")
  func readsRecordThatMovesTheBuffer() throws {
    let long = String(repeating: "é", count: 130_000)
    let document =
      #"[{"id":"1","name":"A","terms":""# + long + #"\n"},{"id":"2","name":"B\n"}]"#
    let whole = try FeedReading(document)
    #expect(whole.error == nil)
    #expect(whole.offers.first?[.terms] == long + "\n")
    #expect(whole.ids == ["1", "2"])
    #expect(try FeedReading(document, pieceSizes: [100_000]) == whole)
  }

  @Test("offers are passed on as they arrive, not at the end")
  func handsOverEarly() throws {
    let sink = RecordingSink()
    let reader = FeedReader(definition: FeedDefinition.ibotta, sink: sink)
    var start = #"[{"id":"1","name":"A"},{"id":"2","#
    try start.withUTF8 { try reader.consume(UnsafeRawBufferPointer($0)) }
    #expect(sink.events.count == 1)
    #expect(reader.itemCount == 1)
  }
}
