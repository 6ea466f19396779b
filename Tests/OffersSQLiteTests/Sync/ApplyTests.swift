import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("The write of a sync")
struct ApplyTests {
  private static let changes = """
    SELECT change.run_id, offer.id, change.kind, change.fields
    FROM \(Store.eachChange) AS change JOIN offer USING (offer_key) ORDER BY change_id, offer_key
    """

  private static func dollars(_ text: String, _ cents: Int64) -> Reward {
    Reward(text: text, value: .amount(minorUnits: cents, currency: "USD"))
  }

  private static func counts(_ store: Store) throws -> String? {
    try store.rows(
      """
      SELECT new_count, changed_count, gone_count, back_count, unchanged_count, skipped_count
      FROM sync_run ORDER BY run_id DESC LIMIT 1
      """
    ).first
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
    #expect(try Self.counts(store) == "3|0|0|0|0|0")
    #expect(try Self.takeWrites(store) == 3)
    try await store.sync(
      [FeedOffer("1"), FeedOffer("2", name: "Oat milk"), FeedOffer("4")], at: 2000)
    #expect(try Self.counts(store) == "1|1|1|0|1|0")
    #expect(try Self.takeWrites(store) == 3)
    try await store.sync(["1", "2", "3", "4"].map { FeedOffer($0) }, at: 3000)
    #expect(try Self.counts(store) == "0|1|0|1|2|0")
    #expect(try Self.takeWrites(store) == 2)
    try await store.sync(["1", "2", "3", "4"].map { FeedOffer($0) }, at: 4000)
    #expect(try Self.counts(store) == "0|0|0|0|4|0")
    #expect(try Self.takeWrites(store) == 0)
    var offer = FeedOffer("1")
    offer.seed = 1
    let others = ["2", "3", "4"].map { FeedOffer($0) }
    try await store.sync([offer] + others, at: 5000)
    #expect(try Self.counts(store) == "0|0|0|0|4|0")
    #expect(try Self.takeWrites(store) == 1)
    try await store.sync([offer] + others, at: 6000)
    #expect(try Self.counts(store) == "0|0|0|0|4|0")
    #expect(try Self.takeWrites(store) == 0)
  }

  @Test("each new, changed, gone or returned offer is recorded, with the changed fields")
  func recordsChanges() async throws {
    let store = try await Store()
    try await store.sync([
      FeedOffer("1", description: "Any size", reward: Self.dollars("$0.75", 75)), FeedOffer("2"),
    ])
    try await store.sync(
      [FeedOffer("1", name: "Milk \"1\"", reward: Self.dollars("$1.25", 125))], at: 2000)
    try await store.sync(
      [
        FeedOffer("1", name: "Milk \"1\""),
        FeedOffer("2", reward: Reward(text: "5%", value: .percent(hundredths: 500), isUpTo: true)),
      ], at: 3000)
    let old =
      #"{"text":"$0.75","kind":"amount","minor_units":75,"currency":"USD","percent":null,"up_to":false}"#
    let new =
      #"{"text":"$1.25","kind":"amount","minor_units":125,"currency":"USD","percent":null,"up_to":false}"#
    let percent =
      #"{"text":"5%","kind":"percent","minor_units":null,"currency":null,"percent":5,"up_to":true}"#
    let fields =
      #"{"name":{"from":"Milk","to":"Milk \"1\""},"description":{"from":"Any size","to":null},"#
    #expect(
      try store.rows(Self.changes) == [
        "1|1|new|NULL",
        "1|2|new|NULL",
        #"2|1|up|\#(fields)"reward":{"from":\#(old),"to":\#(new)}}"#,
        "2|2|gone|NULL",
        #"3|1|changed|{"reward":{"from":\#(new),"to":null}}"#,
        #"3|2|changed|{"reward":{"from":null,"to":\#(percent)}}"#,
        "3|2|back|NULL",
      ])
    #expect(try Self.counts(store) == "0|1|0|1|0|0")
  }

  @Test("many large changes of all kinds are reported in order, with their run")
  func tellsManyChanges() async throws {
    let store = try await Store()
    let long = String(repeating: "milk ", count: 4000)
    let ids = (1...300).map(String.init)
    try await store.sync(ids.map { FeedOffer($0, description: long) })
    try await store.sync(
      (101...300).map { FeedOffer(String($0), description: long + "\($0)") }, at: 2000)
    // The first ones are back, every second one with another text.
    try await store.sync(
      ids.prefix(200).enumerated().map {
        FeedOffer($1, description: $0.isMultiple(of: 2) ? long + "!" : long)
      } + [FeedOffer("new")], at: 3000)

    var expected = ids.map { "1|\($0)|new" }
    expected += ids.dropFirst(100).map { "2|\($0)|changed" }
    expected += ids.prefix(100).map { "2|\($0)|gone" }
    for (place, id) in ids.prefix(100).enumerated() {
      if place.isMultiple(of: 2) { expected.append("3|\(id)|changed") }
      expected.append("3|\(id)|back")
    }
    expected += ids[100..<200].map { "3|\($0)|changed" } + ["3|new|new"]
    expected += ids.dropFirst(200).map { "3|\($0)|gone" }
    let told = try store.rows(Self.changes).map {
      $0.split(separator: "|").prefix(3).joined(separator: "|")
    }
    #expect(told == expected)
    #expect(try store.rows("SELECT count(*) FROM sync_run") == ["3"])
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
  }

  @Test("a skipped record is stored with its position")
  func keepsFirst() async throws {
    let store = try await Store()
    try await store.sync([
      FeedOffer("1", name: "First"), FeedOffer("2"), FeedOffer("1", name: "Second"),
    ])
    #expect(try Self.counts(store) == "2|0|0|0|0|1")
    #expect(
      try store.rows("SELECT problems FROM sync_run") == [
        #"[{"position":3,"effect":"skipped","reason":"id 1 came before; the first one counts"}]"#
      ])
  }

  @Test("a sync that fails halfway leaves every table and the connection as they were")
  func isAllOrNothing() async throws {
    let store = try await Store()
    func everything() throws -> [[String]] {
      try ["offer", "change", "sync_run", "feed", "commit_order"].map {
        try store.rows("SELECT * FROM \($0)")
      }
    }
    // The schema refuses the last record: of a first sync, and of one with earlier changes.
    for old in [[], [FeedOffer("1"), FeedOffer("2")]] {
      if !old.isEmpty { try await store.sync(old) }
      let before = try everything()
      let offers = [FeedOffer("1", name: "Oats"), FeedOffer("4"), FeedOffer("3", name: "")]
      await #expect(throws: OffersError.self) {
        try await store.sync(offers, at: 2000)
      }
      #expect(try everything() == before)
      #expect(try await store.database.findSyncState(of: "ibotta")?.currentCount == old.count)
    }
    #expect(try store.rows("PRAGMA journal_mode") == ["wal"])
    let keys = try await store.database.write { try Int.fetchOne($0, sql: "PRAGMA foreign_keys") }
    #expect(keys == 1)
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
    let pragmas = try await store.database.write { database in
      try ["foreign_keys", "synchronous", "secure_delete", "wal_autocheckpoint"].map {
        try Int.fetchOne(database, sql: "PRAGMA \($0)")
      }
    }
    #expect(pragmas == [1, 2, 2, 0])
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

  @Test("another connection does not see an open transaction")
  func isSeenWhole() async throws {
    let store = try await Store()
    let reader = try await OffersDatabase.open(path: store.path, access: .readOnly)
    #expect(try await reader.countOffers(OfferQuery()) == 0)
    try await store.database.write { database in
      try database.execute(
        sql: """
          INSERT INTO offer (
            feed_key, id, content_hash, first_seen_at, changed_at, name, name_key, reward_up_to
          ) VALUES (1, '1', 0, 0, 0, 'Milk', x'', 0)
          """)
      #expect(try store.rows("SELECT count(*) FROM offer") == ["0"])
      try database.execute(sql: "DELETE FROM offer")
    }
    #expect(try await reader.countOffers(OfferQuery()) == 0)
  }
}
