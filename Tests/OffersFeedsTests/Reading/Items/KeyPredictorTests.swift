import OffersCore
import OffersFeeds
import Testing

@Suite("Records with their members in the expected order")
struct KeyPredictorTests {
  private static let yaml = """
    id: id
    fields:
      name: name
      description: fourteen_bytes
      terms: fifteen_bytes_x
      reward: name_of_price
      retailer: names.short
    """
  private static let record =
    #"{"id":"1","name":"N","fourteen_bytes":"D","fifteen_bytes_x":"T","name_of_price":"$1","names":{"short":"R"}}"#

  private struct Outcome: Equatable {
    var offers: [[OfferField: String]] = []
    var skips: [String] = []
    var message: String?
  }

  /// The result of the last record of a document, after `count` records that establish the order.
  private static func read(_ record: String, behind count: Int, pieces: [Int] = []) throws
    -> Outcome
  {
    let definition = try #require(
      try DefinitionFile.parse("feeds:\n  test:\n" + indented(yaml), name: "test.yaml").first)
    let sink = RecordingSink()
    let reader = FeedReader(definition: definition, sink: sink)
    var outcome = Outcome()
    let text = "[" + (Array(repeating: Self.record, count: count) + [record]).joined(separator: ",")
    do {
      try StageRun.split(Array((text + "]").utf8), pieces) { try reader.consume($0) }
      try reader.finish()
    } catch let error as OffersError {
      // The position in the message differs.
      outcome.message = error.message.split(separator: ":").last.map(String.init)
    }
    for event in sink.events {
      switch event {
      case .offer(count + 1, let texts): outcome.offers.append(texts)
      case .skipped(count + 1, _, let reason): outcome.skips.append(reason)
      default: break
      }
    }
    return outcome
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n") + "\n"
  }

  @Test("all values are found in the usual order, in chunks of any size")
  func readsUsualOrder() throws {
    let expected: [OfferField: String] = [
      .id: "1", .name: "N", .description: "D", .terms: "T", .reward: "$1", .retailer: "R",
    ]
    for count in 0...3 {
      for pieces in [[], [1], [7, 13], [Self.record.utf8.count]] {
        let outcome = try Self.read(Self.record, behind: count, pieces: pieces)
        #expect(outcome == Outcome(offers: [expected]), "\(count) \(pieces)")
      }
    }
  }

  @Test(
    "a record in another order is read, or refused, as if it were the first",
    arguments: [
      #"{"name":"N","id":"1","fifteen_bytes_x":"T","fourteen_bytes":"D"}"#,
      #"{"id":"1","name":"N","name":"M","fourteen_bytes":"D"}"#,
      #"{"id":"1","n\u0061me":"N","fourteen_bytes":"D"}"#,
      #"{"id":"1","names":{"short":"R"},"name":"N"}"#,
      #"{"id":"1","nam":"M","name":"N","named":"O"}"#,
      #"{"id":"1","name" : "N" , "fourteen_bytes"  :  "D"}"#,
      #"{"id":"1","name":{"short":"R"},"names":"N"}"#,
      #"{}"#, #"{"id":"1"}"#,
      #"{"id":"1","name""N"}"#, #"{"id":"1","name";"N"}"#, #"{"id":"1","name"}"#,
      #"{"id":"1","name:"N"}"#, #"{"id":"1",name":"N"}"#, #"{"id":"1" "name":"N"}"#,
      #"{"id":"1",,"name":"N"}"#, #"{"id":"1","name":"N",}"#, #"{"id":"1",'name':"N"}"#,
      "{\"id\":\"1\",\"na\u{1}me\":\"N\"}", #"{"id":"1","name":"#,
    ])
  func readsAnyOrder(record: String) throws {
    let alone = try Self.read(record, behind: 0)
    for count in 1...2 { #expect(try Self.read(record, behind: count) == alone) }
    #expect(try Self.read(record, behind: 2, pieces: [1]) == alone)
  }
}
