import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Pruning")
struct PruneTests {
  private static let day = 86_400

  private static func prune(
    _ store: Store, goneBefore: Int, now: Int, isTrial: Bool = false
  ) async throws -> PruneCounts {
    try await store.database.prune(
      goneBefore: ChangeTests.date(goneBefore), now: ChangeTests.date(now), trustsClock: true,
      isTrial: isTrial)
  }

  private static func counts(offers: Int = 0, changes: Int = 0, runs: Int = 0) -> PruneCounts {
    var counts = PruneCounts()
    counts.offers = offers
    counts.changes = changes
    counts.runs = runs
    return counts
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
    try store.execute("INSERT INTO offer_detail (offer_key, retailer) VALUES (3, 'x'), (4, 'y')")
    _ = try await store.database.setFavorites(named: ["2"], to: true)
    try await store.sync([FeedOffer("1"), FeedOffer("4")], at: 2000)
    try await store.sync([FeedOffer("1"), FeedOffer("5")], at: 3000)
    return store
  }

  @Test("expired offers are removed with their details and changes, favorites never")
  func offers() async throws {
    let store = try await Self.filled()
    for isTrial in [true, false] {
      #expect(
        try await Self.prune(store, goneBefore: 2000, now: 5000, isTrial: isTrial)
          == Self.counts(offers: 1, changes: 1))
    }
    #expect(try store.rows("SELECT id FROM offer ORDER BY id") == ["1", "2", "4", "5"])
    #expect(try store.rows("SELECT retailer FROM offer_detail") == ["y"])
    #expect(
      try store.rows("SELECT offer_key, kind FROM \(Store.eachChange) ORDER BY change_id") == [
        "1|new", "2|new", "3|new", "4|new", "5|new", "2|gone", "5|gone", "5|back", "4|gone",
      ])
    #expect(try await Self.prune(store, goneBefore: 2000, now: 5000) == PruneCounts())
    try Self.check(store)
  }

  @Test("an offer that is back or starred before its batch stays")
  func rescued() async throws {
    let store = try await Self.filled()
    let bounds = try await store.database.read {
      try PruneBounds(countingFrom: 5000, goneSeconds: 2500, limit: .standard, in: $0)
    }
    let doomed = try await store.database.read {
      try PruneTable.doomedOffers(bounds, in: $0)
    }
    #expect(doomed == [3])
    _ = try await store.database.setFavorites(named: ["3"], to: true)
    let counts = try await store.database.write {
      try PruneTable.delete(doomed, goneBefore: bounds.gone.seconds, in: $0)
    }
    #expect(counts == PruneCounts())
  }

  @Test("no key is reused: the newest offer and change stay, however old")
  func newest() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("2"), FeedOffer("3")], at: 1000)
    try await store.sync([], at: 2000)
    let now = 2000 * Self.day
    #expect(try await Self.prune(store, goneBefore: now, now: now).offers == 2)
    #expect(try store.rows("SELECT max(change_id) FROM change") == ["6"])
    #expect(try store.rows("SELECT offer_key FROM offer") == ["3"])
    try await store.sync([FeedOffer("1")], at: now)
    #expect(
      try store.rows("SELECT change_id, offer_key FROM change WHERE change_id > 6") == ["7|4"])
    try Self.check(store)
  }

  @Test("runs without changes are removed after 30 days, except a feed's last and last good one")
  func runs() async throws {
    let store = try await Store()
    for seconds in [1000, 2000, 3000] { try await store.sync([FeedOffer("1")], at: seconds) }
    for seconds in [4000, 5000] {
      try await store.database.record(
        SyncRun(
          feed: "ibotta", source: "x", outcome: .failed, bytes: 0,
          startedAt: ChangeTests.date(seconds), durationSeconds: 0,
          error: OffersError(.sourceFailed, "No answer.")), remember: nil, fetch: nil)
    }
    #expect(try await Self.prune(store, goneBefore: 0, now: 2000 + 30 * Self.day) == PruneCounts())
    for isTrial in [true, false] {
      #expect(
        try await Self.prune(store, goneBefore: 0, now: 6000 + 30 * Self.day, isTrial: isTrial)
          == Self.counts(runs: 2))
    }
    #expect(try store.rows("SELECT started_at FROM sync_run") == ["1000", "3000", "5000"])
    try Self.check(store)
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
    let before = store.database.sizeBytes
    #expect(try await Self.prune(store, goneBefore: 1999, now: 3000) == PruneCounts())
    #expect(store.database.sizeBytes >= before)
    let counts = try await Self.prune(store, goneBefore: 2000, now: 3000)
    // The offer of the newest change stays.
    #expect(counts.offers == 1799)
    #expect(store.database.sizeBytes < before / 4)
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
        at: ChangeTests.date(3000 + days * Self.day), trust: .now)
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
    // The changes of the favorite and the newest change are kept.
    #expect(
      try store.rows("SELECT kind FROM change WHERE kind <> 'new' ORDER BY change_id").isEmpty
        == false)
    try Self.check(store)
  }

  @Test("a notice past its age makes a pruning due")
  func clearsNotices() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")], at: 1000)
    try store.execute("INSERT INTO notice VALUES (1, 'failing', 'ibotta', '', 1, 1000)")
    for (days, rest) in [(60, "1"), (62, "0")] {
      try await store.database.clearAway(
        at: ChangeTests.date(1000 + days * Self.day), trust: .now)
      #expect(try store.rows("SELECT count(*) FROM notice") == [rest], "day \(days)")
    }
  }
}
