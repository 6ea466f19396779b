import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite
@testable import OffersStore

@Suite("Pruning")
struct PruneTests {
  private static let day = 86_400

  private static func prune(
    _ store: Store, goneBefore: Int, now: Int
  ) async throws -> PruneCounts {
    try await store.database.prune(
      goneBefore: ChangeTests.date(goneBefore), now: ChangeTests.date(now), trustsClock: true,
      isTrial: false)
  }

  private static func check(_ store: Store) throws {
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
    #expect(try store.rows("PRAGMA integrity_check") == ["ok"])
  }

  /// Five offers. 2, which is a favorite, 3 and 4 vanish, 4 later than the others; 5 vanishes and
  /// is back.
  private static func filled() async throws -> Store {
    let store = try await Store()
    try await store.sync((1...5).map { FeedOffer("\($0)") }, at: 1000)
    _ = try await store.database.setFavorites(named: ["2"], to: true)
    try await store.sync([FeedOffer("1"), FeedOffer("4")], at: 2000)
    try await store.sync([FeedOffer("1"), FeedOffer("5")], at: 3000)
    return store
  }

  @Test("notices are removed when they are old and their subject is past")
  func notices() async throws {
    let store = try await Store()
    let now = 1000 * Self.day
    for (id, about, told) in [
      ("1", now - 1, now - 61 * Self.day), ("2", now + 1, now - 61 * Self.day),
      ("3", now - 1, now - 59 * Self.day),
    ] {
      try store.execute(
        "INSERT INTO notice VALUES (1, 'expiring', 'ibotta', '\(id)', \(about), \(told))")
    }
    _ = try await Self.prune(store, goneBefore: 0, now: now)
    #expect(try store.rows("SELECT id FROM notice") == ["2", "3"])
  }

  @Test("the file is compacted when more than a quarter of it is free")
  func compacts() async throws {
    let store = try await Store()
    let text = String(repeating: "tea ", count: 500)
    let offers = (1...2000).map { FeedOffer("\($0)", description: text) }
    try await store.sync(offers, at: 1000)
    try await store.sync(Array(offers.suffix(200)), at: 2000)
    let before = store.database.sqlite.sizeBytes
    #expect(try await Self.prune(store, goneBefore: 1999, now: 3000) == PruneCounts())
    #expect(store.database.sqlite.sizeBytes >= before)
    let counts = try await Self.prune(store, goneBefore: 2000, now: 3000)
    #expect(counts.offers == 1800)
    #expect(store.database.sqlite.sizeBytes < before / 4)
    #expect(try store.rows("PRAGMA freelist_count") == ["0"])
    #expect(try store.rows("PRAGMA journal_mode") == ["wal"])
    try Self.check(store)
  }

  @Test("clearing away depends on the ages of runs and changes, not on the number of syncs")
  func clearsByAge() async throws {
    let store = try await Self.filled()
    func clear(_ days: Int) async throws -> Bool {
      let before = try await store.database.fetchDataVersion()
      try await store.database.clearAway(
        at: ChangeTests.date(3000 + days * Self.day), trustsClock: true)
      return try await store.database.fetchDataVersion() != before
    }
    // Two runs that change nothing, of which the first becomes old.
    for seconds in [4000, 5000] {
      try await store.sync([FeedOffer("1"), FeedOffer("5")], at: seconds)
    }
    #expect(try await clear(29) == false)
    #expect(try await clear(30), "the vanished offers")
    #expect(try await clear(30) == false)
    #expect(try store.rows("SELECT count(*) FROM sync_run") == ["5"])
    #expect(try await clear(32), "the run without changes")
    #expect(try await clear(32) == false)
    #expect(try store.rows("SELECT started_at FROM sync_run ORDER BY run_id").last == "5000")
    #expect(try store.rows("SELECT count(*) FROM sync_run") == ["4"])
    #expect(try await clear(400) == false)
    #expect(try await clear(402), "the changes")
    #expect(try await clear(402) == false)
    // The changes of the favorite are kept, and the first sync, which has it.
    #expect(
      try store.rows("SELECT kind FROM change ORDER BY change_id") == ["first", "gone"])
    try Self.check(store)
  }
}
