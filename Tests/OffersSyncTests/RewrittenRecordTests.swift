import OffersCore
import OffersFeeds
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("A feed that is written anew")
struct RewrittenRecordTests {
  /// A collector that counts the offers it has to be told.
  private final class Listener: OfferSink {
    let collector: DifferenceCollector
    private(set) var acceptedCount = 0
    private(set) var byBytesCount = 0
    private(set) var byValuesCount = 0

    init(_ collector: DifferenceCollector) { self.collector = collector }

    var recordSeed: UInt64? { collector.recordSeed }

    func recognize(_ bytes: UnsafeRawBufferPointer) -> Int? {
      let count = collector.recognize(bytes)
      if count != nil { byBytesCount += 1 }
      return count
    }

    func recognize(_ record: ReadRecord) -> Bool {
      let isKnown = collector.recognize(record)
      if isKnown { byValuesCount += 1 }
      return isKnown
    }

    func accept(_ texts: OfferTexts, position: Int) throws {
      acceptedCount += 1
      try collector.accept(texts, position: position)
    }

    func skip(id: UnsafeRawBufferPointer?, position: Int, reason: String) {
      collector.skip(id: id, position: position, reason: reason)
    }

    func mend(position: Int, reason: String) { collector.mend(position: position, reason: reason) }
  }

  /// Reads a document against what the home holds.
  private static func read(_ text: String, in home: SyncedFolder) async throws -> Listener {
    let definition = try #require(try FeedCatalog.find("ibotta"))
    let listener = Listener(
      DifferenceCollector(
        known: try await home.database.fetchKnownOffers(of: "ibotta"),
        memory: try await home.database.fetchRecordMemory(of: "ibotta"), definition: definition,
        derivationSeed: definition.derivationSeed, folder: home.folder.path))
    let reader = FeedReader(definition: definition, sink: listener)
    try Array(text.utf8).withUnsafeBytes { try reader.consume($0) }
    try reader.finish()
    return listener
  }

  private static func spaced(_ text: String) -> String {
    text.replacing(",", with: " ,\n\t").replacing(":\"", with: " : \"")
  }

  @Test("records are known by their values, whatever the white space and what nobody reads")
  func knowsValues() async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...40))
    for text in [
      Self.spaced(FeedText.feed(1...40)),
      Self.spaced(FeedText.feed(1...40)).replacing("{", with: "{\"unread\":[1,{}],"),
    ] {
      let listener = try await Self.read(text, in: home)
      #expect(listener.acceptedCount == 0)
      #expect(listener.byValuesCount == 40)
      #expect(listener.collector.unchangedCount == 40)
      #expect(listener.collector.offerCount == 40)
      #expect(listener.collector.known.vanishedKeys() == [])
    }
  }

  @Test(
    "a record that says something else is read",
    arguments: [
      #"{"id":"2","name":"Tea 2","current_value":"$1.00 Cash back"}"#,
      #"{"id":"2","name":"$1.00 Cash Back","current_value":"Tea 2"}"#,
      #"{"id":"2","name":"Tea 2","description":"$1.00 Cash Back"}"#,
      #"{"id":"2","name":"Tea 2","current_value":["$1.00 Cash Back"]}"#,
      #"{"id":"2","name":"Tea 2","current_value":"$1.00 Cash Back","terms":"None"}"#,
      #"{"id":"2","name":"Tea 2","terms":"","current_value":"$1.00 Cash Back"}"#,
      #"{"id":"2","name":"Tea 2","current_value":"$1.00 Cash Back","current_value":null}"#,
      #"{"id":"20","name":"Tea 2","current_value":"$1.00 Cash Back"}"#,
      #"{"id":2,"name":"Tea 2","current_value":"$1.00 Cash Back"}"#,
      // The same, said with other bytes.
      #"{"id":"2","name":"\u0054ea 2","current_value":"$1.00 Cash Back"}"#,
      // The same in another order.
      #"{"name":"Tea 2","id":"2","current_value":"$1.00 Cash Back"}"#,
    ])
  func readsOthers(_ other: String) async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    let records = [FeedText.record(1), other, FeedText.record(3)].map(Self.spaced)
    let listener = try await Self.read(FeedText.list(records), in: home)
    #expect(listener.acceptedCount == 1)
    #expect(listener.collector.offerCount == 3)
  }

  @Test("the record counts once, and not for an offer that is gone or changed")
  func checksTheOffer() async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    let twice = Self.spaced(FeedText.feed([1, 2, 2, 3]))
    let listener = try await Self.read(twice, in: home)
    #expect(listener.collector.unchangedCount == 3)
    #expect(listener.collector.skippedCount == 1)
    let run = try await home.sync(Self.spaced(FeedText.feed([1, 3])), at: 2_000)
    #expect(run.counts.all == [0, 0, 1, 0, 2, 0])
    let back = try await home.sync(Self.spaced(FeedText.feed([1, 2, 3])), at: 3_000)
    #expect(back.counts.all == [0, 0, 0, 1, 2, 0])
  }

  @Test("what is remembered goes over to the new way of writing with the next changes")
  func remembersTheNewWay() async throws {
    let home = try SyncedFolder()
    try await home.sync(FeedText.feed(1...30))
    let ids = Array(1...10) + [31] + Array(11...30)
    let text = Self.spaced(FeedText.feed(ids))
    #expect(try await home.sync(text, at: 2_000).counts.all == [1, 0, 0, 0, 30, 0])
    let new = try await Self.read(text, in: home)
    #expect(new.byBytesCount == 21)
    // Before the change nobody knew that there would be one.
    #expect(new.acceptedCount == 10)
    let next = Self.spaced(FeedText.feed(ids + [32]))
    #expect(try await home.sync(next, at: 3_000).counts.all == [1, 0, 0, 0, 31, 0])
    #expect(try await Self.read(next, in: home).byBytesCount == 32)
    // The old way is known by its values now.
    let old = try await Self.read(FeedText.feed(ids + [32]), in: home)
    #expect(old.byBytesCount == 0)
    #expect(old.byValuesCount == 32)
  }
}
