import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersStore

@Suite("What is kept of a large feed's offers")
struct KnownOffersTableTests {
  private static let count = 6000

  private static func offers(_ ids: some Sequence<Int>) -> [FeedOffer] {
    ids.map { FeedOffer("\($0)", name: "Tea \($0)") }
  }

  private static func filled() async throws -> Store {
    let store = try Store()
    try await store.sync(offers(1...count))
    return store
  }

  /// What is kept, nil where nothing is; the offers as a sync is told of them; and as they are.
  private static func look(
    _ store: Store, at feed: String = "ibotta"
  ) async throws -> (kept: [KnownOffer]?, told: [KnownOffer], real: [KnownOffer]) {
    let told = try await store.database.fetchKnownOffers(of: feed)
    return try await store.database.write { database in
      let key = try #require(try FeedTable.findKey(feed, in: database))
      let kept = try KnownOffersTable.fetch(feedKey: key, capacity: 0, in: database)
      var real = KnownOffers(capacity: 0, idSeed: told.idSeed)
      try KnownOffersQuery.scan(behind: .min, feedKey: key, into: &real, in: database)
      return (kept.map { Array($0.offers) }, Array(told.offers), Array(real.offers))
    }
  }

  private static func writtenAnew(_ store: Store) throws -> Bool {
    try store.rows("SELECT count(*) FROM known_offers_doubt") == ["0"]
      && store.rows("SELECT last_key = (SELECT max(offer_key) FROM offer) FROM known_offers")
        == ["1"]
  }

  @Test("it is what the offers are, whatever became of them", arguments: 1...4)
  func isTrue(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let store = try await Self.filled()
    var feed = Self.offers(1...Self.count)
    var anewCount = 0
    for round in 1...14 {
      let share = [1000, 300, 30, 3].randomElement(using: &random) ?? 3
      func some() -> Bool { Int.random(in: 0..<share, using: &random) == 0 }
      switch Int.random(in: 0..<6, using: &random) {
      case 0: feed.removeAll { _ in some() }
      case 1: feed += Self.offers((0..<share).map { 10_000 * round + $0 })
      case 2: feed = Self.offers(1...Self.count).shuffled(using: &random)
      case 3:
        // Another feed's keys come between.
        try await store.sync(
          Self.offers(1...share), feed: "facts", at: 1000 * round + 500)
      case 4:
        _ = try await store.database.prune(
          goneBefore: .distantFuture, now: .distantFuture, isTrial: false)
      default:
        for place in feed.indices where some() { feed[place].name = "Milk \(round)" }
      }
      if Bool.random(using: &random) {
        // Somebody else's program.
        try store.execute(
          """
          DELETE FROM offer WHERE offer_key % 997 = \(round);
          UPDATE offer SET content_hash = 7 WHERE offer_key % 991 = \(round);
          UPDATE OR IGNORE offer SET id = id || 'x' WHERE offer_key % 983 = \(round);
          UPDATE feed SET current_count = (
            SELECT count(*) FROM offer WHERE offer.feed_key = feed.feed_key AND gone_at IS NULL)
          """)
      }
      let before = try await Self.look(store)
      #expect(before.told == before.real)
      try await store.sync(feed, at: 1000 * round + 1000)
      let after = try await Self.look(store)
      #expect(after.kept == after.real)
      #expect(after.told == after.real)
      if try Self.writtenAnew(store) { anewCount += 1 }
      #expect(
        try store.rows("SELECT id FROM offer WHERE feed_key = 1 AND gone_at IS NULL").sorted()
          == feed.map(\.id).sorted())
    }
    #expect(anewCount > 0)
  }

  @Test("a few offers that differ are only noted, more are written anew")
  func writesSparingly() async throws {
    let store = try await Self.filled()
    #expect(try Self.writtenAnew(store))
    let pieces = "SELECT first_key, hex(offers) FROM known_offers_piece"
    let first = try store.rows(pieces)
    var feed = Self.offers(1...Self.count + 50)
    for place in 0..<50 { feed[100 * place].name = "Milk" }
    try await store.sync(feed, at: 2000)
    #expect(try store.rows(pieces) == first)
    #expect(try store.rows("SELECT count(*) FROM known_offers_doubt") == ["50"])
    for place in 0..<300 { feed[10 * place].name = "Coffee" }
    try await store.sync(feed, at: 3000)
    #expect(try store.rows(pieces) != first)
    #expect(try Self.writtenAnew(store))
  }

  @Test("of a small feed nothing is kept, and nothing is noted")
  func keepsNothingSmall() async throws {
    let store = try Store()
    let count = KnownOffersTable.minimumCount - 1
    try await store.sync(Self.offers(1...count))
    try await store.sync(Self.offers(2...count), at: 2000)
    for table in ["known_offers", "known_offers_piece", "known_offers_doubt"] {
      #expect(try store.rows("SELECT count(*) FROM \(table)") == ["0"])
    }
    // One more than once is kept, of all.
    try await store.sync(Self.offers(1...count + 1), at: 3000)
    let look = try await Self.look(store)
    #expect(look.kept?.count == count + 1 && look.kept == look.real)
  }

  @Test(
    "what is not as it was written is not taken for it",
    arguments: [
      "UPDATE known_offers_piece SET offers = randomblob(length(offers))",
      "UPDATE known_offers_piece SET offers = substr(offers, 1, length(offers) - 16)",
      "UPDATE known_offers_piece SET offers = x''",
      "UPDATE known_offers_piece SET offers = zeroblob(1000008)",
      "UPDATE known_offers_piece SET first_key = first_key + 1",
      "UPDATE known_offers SET id_seed = id_seed - 1",
    ])
  func bearsNonsense(damage: String) async throws {
    let store = try await Self.filled()
    try store.execute(damage)
    let look = try await Self.look(store)
    #expect(look.kept == nil)
    #expect(look.told == look.real && look.told.count == Self.count)
  }

  @Test(
    "rows that no trigger told of are seen",
    arguments: [
      "DELETE FROM known_offers_piece",
      "UPDATE known_offers SET last_key = 9223372036854775807",
      "UPDATE known_offers SET last_key = -9223372036854775807 - 1",
      "UPDATE known_offers SET last_key = -900000000000000000",
      "DROP TRIGGER offer_is_removed; DELETE FROM offer WHERE offer_key = 5; "
        + "UPDATE feed SET current_count = current_count - 1",
      "INSERT INTO offer (offer_key, feed_key, id, content_hash, first_seen_at, changed_at, name, "
        + "reward_up_to) VALUES (-3, 1, 'x', 1, 1, 1, 'Tea', 0); "
        + "UPDATE feed SET current_count = current_count + 1",
    ])
  func bearsOtherPrograms(work: String) async throws {
    let store = try await Self.filled()
    try store.execute(work)
    let look = try await Self.look(store)
    #expect(look.told == look.real)
    try await store.sync(Self.offers(1...Self.count), at: 2000)
    #expect(
      try store.rows("SELECT id FROM offer WHERE gone_at IS NULL").sorted()
        == Self.offers(1...Self.count).map(\.id).sorted())
  }

  @Test("what is not what the offers are is found, and forgotten")
  func isLookedThrough() async throws {
    let store = try await Self.filled()
    func findings() throws -> [String] {
      try OffersDatabase(path: store.path).examineBlocking(at: .distantPast)
        .filter { $0.subject == "known" }.map { "\($0.level.rawValue): \($0.message)" }
    }
    #expect(try findings() == ["ok: what a sync compares with is what the offers are"])
    // The number of offers stays the same.
    try store.execute(
      """
      DROP TRIGGER offer_is_otherwise; UPDATE offer SET content_hash = 9 WHERE id = '77'
      """)
    let repairs = await (try OffersDatabase(path: store.path)).repair(at: .distantPast)
    #expect(
      repairs.map(\.message) == [
        "made offer_is_otherwise anew",
        "forgotten; the next sync looks at all offers of ibotta",
      ])
    #expect(try findings() == ["ok: what a sync compares with is what the offers are"])
    #expect(try store.rows("SELECT * FROM known_offers_piece") == [])
    let look = try await Self.look(store)
    #expect(look.kept == nil && look.told == look.real)
    try await store.sync(Self.offers(1...Self.count), at: 2000)
    #expect(try await Self.look(store).kept?.count == Self.count)
  }

  @Test("in a database of the version before it is kept from the next sync on")
  func upgrades() async throws {
    let store = try await Self.filled()
    try store.execute(Store.toVersion9 + "PRAGMA wal_checkpoint(TRUNCATE)")
    let database = try OffersDatabase(path: store.path)
    #expect(try await database.fetchKnownOffers(of: "ibotta").count == Self.count)
    #expect(try store.rows("SELECT * FROM known_offers") == [])
    try await store.sync(Self.offers(2...Self.count), at: 2000)
    let look = try await Self.look(store)
    #expect(look.kept?.count == Self.count && look.kept == look.real)
  }
}
