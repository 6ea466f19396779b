import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("One row for several new offers")
struct NewOffersTests {
  private static func date(_ seconds: Int) -> Date { ChangeTests.date(seconds) }

  /// Two feeds after many random syncs. Returns the time of the last one.
  private static func filled(
    _ random: inout SeededGenerator
  ) async throws -> (store: Store, now: Int) {
    let store = try await Store()
    var now = 1000
    for round in 0..<12 {
      now += Int.random(in: 1...500, using: &random)
      let feed = ["ibotta", "grocer"][round < 2 ? round : Int.random(in: 0...1, using: &random)]
      let ids = (1...60).filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
      try await store.sync(
        ids.map { FeedOffer("\($0)", name: "Tea \(Int.random(in: 1...2, using: &random))") },
        feed: feed, at: now)
      for id in ids.prefix(Int.random(in: 0...3, using: &random)) {
        _ = try await store.database.setFavorites(named: ["\(feed):\(id)"], to: true)
      }
    }
    return (store, now)
  }

  /// Splits spans into one row per offer, as in older databases.
  private static func unfold(_ store: Store) throws {
    try store.execute(
      """
      CREATE TEMP TABLE one AS SELECT * FROM \(Store.eachChange);
      CREATE TEMP TABLE kept AS SELECT * FROM first_sync;
      DELETE FROM new_offers; DELETE FROM change;
      INSERT INTO change SELECT change_id, offer_key, run_id, kind, fields FROM one ORDER BY 1;
      INSERT INTO first_sync SELECT * FROM kept;
      """)
  }

  /// Merges all new offers of a sync into one row, as in some older databases.
  private static func fold(_ store: Store) throws {
    try store.execute(
      """
      CREATE TEMP TABLE span AS
      SELECT run_id, max(change_id) AS change_id, count(*) AS offer_count FROM change
      WHERE kind = 'new' AND change_id NOT IN (SELECT change_id FROM new_offers)
      GROUP BY run_id HAVING count(*) > 1;
      DELETE FROM change WHERE kind = 'new' AND EXISTS (
        SELECT 1 FROM span WHERE span.run_id = change.run_id AND span.change_id > change.change_id);
      INSERT INTO new_offers SELECT change_id, offer_count FROM span;
      """)
  }

  private static func ids(_ store: Store) throws -> [Int64] {
    try store.rows("SELECT change_id FROM \(Store.eachChange) ORDER BY 1").compactMap(Int64.init)
  }

  private static func countSalvagedChanges(_ path: String) async throws -> Int {
    try await OffersDatabase.open(salvaging: path).salvage(favoritesOnly: false) { records in
      var count = 0
      _ = try records.forEachRecord(accepting: { _ in true }) { record in
        if case .change = record { count += 1 }
      }
      return count
    }
  }

  @Test("a feed's first sync writes one row for all offers, later syncs one per offer")
  func writes() async throws {
    let store = try await Store()
    try await store.sync((1...5).map { FeedOffer("\($0)") })
    try await store.sync((1...7).map { FeedOffer("\($0)") }, at: 2000)
    try await store.sync([FeedOffer("1")], feed: "grocer", at: 3000)
    try await store.sync((8...9).map { FeedOffer("\($0)") }, feed: "facts", at: 4000)
    #expect(
      try store.rows("SELECT change_id, offer_key FROM change")
        == ["5|5", "6|6", "7|7", "8|8", "10|10"])
    #expect(try store.rows("SELECT * FROM new_offers") == ["5|5", "10|2"])
    #expect(try await store.database.countEverything().changes == 10)
    #expect(try store.disorder() == [])
  }

  @Test("is read like one row per offer", arguments: 1...(TestSize.isLong ? 6 : 1))
  func reads(number: Int) async throws {
    var random = SeededGenerator(number: number)
    let (store, now) = try await Self.filled(&random)
    let last = try #require(try Self.ids(store).last)
    var queries: [ChangeQuery] = []
    for _ in 0..<(TestSize.isLong ? 120 : 20) {
      var query = ChangeQuery(now: Self.date(now))
      if Bool.random(using: &random) { query.afterID = Int64.random(in: 0...last, using: &random) }
      if Bool.random(using: &random) {
        query.since = Self.date(Int.random(in: 900...now + 10, using: &random))
      }
      if Bool.random(using: &random) { query.limit = Int.random(in: 0...40, using: &random) }
      if Bool.random(using: &random) { query.feed = "grocer" }
      query.favoritesOnly = Int.random(in: 0..<4, using: &random) == 0
      if Bool.random(using: &random) {
        query.kinds = Set(OfferChange.Kind.allCases.filter { _ in Bool.random(using: &random) })
      }
      queries.append(query)
    }
    func answers() async throws -> [[OfferChange]] {
      let path = store.path
      let database = try await OffersDatabase.open(path: path)
      var answers: [[OfferChange]] = []
      for query in queries {
        answers.append(try await database.fetchChanges(query).changes)
        answers.append(
          try await database.read {
            try SelectedChanges(firstOf: query, of: User.ownerID, in: $0).read(in: $0)
          })
      }
      for id in [1, last / 2, last - 1, last] {
        let mark = ReaderMark(changeID: id, readAt: Self.date(1000))
        answers.append(
          try await database.read {
            try SelectedChanges(newsAfter: mark, now: Self.date(now), of: User.ownerID, in: $0)
              .read(in: $0)
          })
      }
      return answers
    }
    let written = try await answers()
    func kept() async throws -> [String] {
      try await [store.exported(), store.exported(favoritesOnly: true)].map { try $0.text() }
    }
    let before = try await kept()
    #expect(try store.rows("SELECT count(*) FROM new_offers") == ["2"])
    for rewrite in [Self.fold, Self.unfold] {
      try rewrite(store)
      #expect(try store.rows("SELECT count(*) FROM new_offers") != ["2"])
      #expect(try await answers() == written)
      #expect(try await kept() == before)
    }
    #expect(written.contains { $0.count > 40 })
  }

  @Test("a removed offer of a span is not reported, and pages are still full")
  func passesOverRemoved() async throws {
    let store = try await Store()
    try await store.sync((1...20).map { FeedOffer("\($0)") })
    try await store.sync((11...20).map { FeedOffer("\($0)") }, at: 2000)
    let pruned = try await store.database.prune(
      goneBefore: Self.date(2000), now: Self.date(3000), trustsClock: true, isTrial: false)
    #expect(pruned.offers == 9)
    // As in a database of an older version, where such a row need not be of a first sync.
    try store.execute("DELETE FROM first_sync")
    var query = ChangeQuery(now: Self.date(3000))
    query.kinds = [.new]
    let all = try await store.database.fetchChanges(query).changes
    #expect(all.map(\.offer?.ref.offerID) == (10...20).map(String.init))
    #expect(all.map(\.changeID) == (10...20).map { Int64($0) })
    query.limit = 4
    #expect(try await store.database.fetchChanges(query).changes == all.suffix(4))
    query.afterID = 3
    let page = try await store.database.fetchChangePage(query)
    #expect(page.changes == Array(all.prefix(4)))
    #expect(page.hasMore && page.lastID == 13)
    query.afterID = page.lastID
    #expect(try await store.database.fetchChangePage(query).changes == Array(all[4..<8]))
    #expect(try store.rows("SELECT * FROM new_offers") == ["20|20"])
  }

  @Test("an impossible count is ignored", arguments: [Int64.min, -1, 0, 1, 21, .max])
  func bearsNonsense(count: Int64) async throws {
    let store = try await Store()
    try await store.sync((1...20).map { FeedOffer("\($0)") })
    _ = try await store.database.setFavorites(named: ["20"], to: true)
    try store.execute(
      """
      PRAGMA ignore_check_constraints = ON; DELETE FROM first_sync;
      UPDATE new_offers SET offer_count = \(count)
      """)
    for favoritesOnly in [false, true] {
      var query = ChangeQuery(now: Self.date(5000))
      query.favoritesOnly = favoritesOnly
      let told = try await store.database.fetchChanges(query).changes
      #expect(told.map(\.offer?.ref.offerID) == ["20"])
    }
    try await store.sync((3...20).map { FeedOffer("\($0)") }, at: 2000)
    let pruned = try await store.database.prune(
      goneBefore: Self.date(3000), now: Self.date(4000), trustsClock: true, isTrial: false)
    #expect(pruned.offers == 1)
  }

  @Test("a damaged count salvages no more changes than there are offers")
  func salvagesNonsense() async throws {
    let store = try await Store()
    try await store.sync((1...20).map { FeedOffer("\($0)") })
    try await store.sync((1...30).map { FeedOffer("\($0)") }, at: 2000)
    for (count, told) in [("20", 30), ("7", 17), ("9223372036854775807", 30), ("-5", 10)] {
      try store.execute(
        """
        PRAGMA ignore_check_constraints = ON;
        UPDATE new_offers SET offer_count = \(count) WHERE change_id = 20
        """)
      #expect(try await Self.countSalvagedChanges(store.path) == told, "\(count)")
    }
  }
}
