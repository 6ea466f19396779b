import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("The write of a sync")
struct ApplyTests {
  private static func dollars(_ text: String, _ cents: Int64) -> Reward {
    Reward(text: text, value: .amount(minorUnits: cents, currency: "USD"))
  }

  /// The number of rows of offers that were inserted or updated since the last call.
  private static func takeWrites(_ store: Store) throws -> Int {
    defer { try? store.execute("DELETE FROM written") }
    return try store.rows("SELECT id FROM written").count
  }

  @Test("only new, changed, gone and returned offers are written, and other hashes")
  func rows() async throws {
    let store = try await Store()
    try store.execute(
      """
      CREATE TABLE written (id TEXT);
      CREATE TRIGGER note_new AFTER INSERT ON offer BEGIN INSERT INTO written VALUES (new.id); END;
      CREATE TRIGGER note_old AFTER UPDATE ON offer BEGIN INSERT INTO written VALUES (new.id); END;
      """)
    try await store.sync([FeedOffer("1"), FeedOffer("2"), FeedOffer("3")])
    #expect(try Self.takeWrites(store) == 3)
    try await store.sync(
      [FeedOffer("1"), FeedOffer("2", name: "Oat milk"), FeedOffer("4")], at: 2000)
    #expect(try Self.takeWrites(store) == 3)
    try await store.sync(["1", "2", "3", "4"].map { FeedOffer($0) }, at: 3000)
    #expect(try Self.takeWrites(store) == 2)
    try await store.sync(["1", "2", "3", "4"].map { FeedOffer($0) }, at: 4000)
    #expect(try Self.takeWrites(store) == 0)
    var offer = FeedOffer("1")
    offer.seed = 1
    let others = ["2", "3", "4"].map { FeedOffer($0) }
    try await store.sync([offer] + others, at: 5000)
    #expect(try Self.takeWrites(store) == 1)
    try await store.sync([offer] + others, at: 6000)
    #expect(try Self.takeWrites(store) == 0)
  }

  @Test("a skipped record is stored with its position")
  func keepsFirst() async throws {
    let store = try await Store()
    try await store.sync([
      FeedOffer("1", name: "First"), FeedOffer("2"), FeedOffer("1", name: "Second"),
    ])
    #expect(
      try store.rows("SELECT problems FROM sync_run") == [
        #"[{"position":3,"effect":"skipped","reason":"id 1 came before; the first one counts"}]"#
      ])
  }

  @Test("many offers are stored in feed order, each sync in one transaction of the log")
  func importsLarge() async throws {
    let store = try await Store()
    let offers = (1...3000).map {
      FeedOffer("\($0)", name: "Offer \($0)", reward: Self.dollars("$\($0)", Int64($0) * 100))
    }
    let run = try await store.sync(offers)
    #expect(run.counts.new == 3000)
    #expect(try store.rows("PRAGMA journal_mode") == ["wal"])
    #expect(FileManager.default.fileExists(atPath: store.path + "-journal") == false)
    #expect(try store.rows("PRAGMA integrity_check") == ["ok"])
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
    let stored = try await store.database.fetchOffers(OfferQuery())
    #expect(stored.map(\.ref.offerID) == offers.map(\.id))
    #expect(stored.map(\.name) == offers.map(\.name))
    #expect(stored.map(\.reward) == offers.map(\.reward))
    #expect(
      try store.rows("SELECT kind, offer_key, offer_count FROM change") == ["first|3000|3000"])

    let second = try await store.sync(offers.dropLast().map { FeedOffer($0.id) }, at: 2000)
    #expect(second.counts.changed == 2999)
    #expect(second.counts.gone == 1)
    #expect(try store.rows("PRAGMA journal_mode") == ["wal"])
  }

  @Test("how the offers are shown is written by the first sync and when it differs, not by each")
  func presentation() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    try store.execute(
      """
      CREATE TABLE written (presentation TEXT);
      CREATE TRIGGER write_presentation AFTER UPDATE OF presentation ON feed
      BEGIN INSERT INTO written VALUES (new.presentation); END;
      """)
    let run = SyncRun(
      feed: "ibotta", source: "/x.json", outcome: .unchanged, bytes: 1,
      startedAt: Date(timeIntervalSince1970: 2000), durationSeconds: 0)
    for noun in ["offer", "offer", "album", "album"] {
      try await store.database.record(
        run, remember: nil, fetch: nil, presentation: FeedPresentation(noun: OfferNoun(noun)))
    }
    #expect(
      try store.rows("SELECT presentation ->> 'nouns' FROM written") == ["offers", "albums"])
  }
}
