import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite
@testable import OffersStore

@Suite("The bound on the history")
struct HistoryLimitTests {
  private static func count(_ store: Store) throws -> Int {
    Int(try store.rows("SELECT count(*) FROM change")[0]) ?? -1
  }

  private static func flap(
    _ store: Store, _ offers: ClosedRange<Int>, rounds: Int, limit: Int64
  ) async throws {
    for round in 1...rounds {
      try await store.sync(offers.map { FeedOffer("\($0)", name: "\(round)") }, at: 1000 + round)
      try await store.database.clearAway(
        at: ChangeTests.date(1000 + round), limit: HistoryLimit(count: limit))
      #expect(try count(store) <= Int(limit) + rounds, "round \(round)")
    }
  }

  @Test("a feed that flaps stays below the bound, and the file stops growing")
  func flapping() async throws {
    let store = try await Store()
    try await Self.flap(store, 1...400, rounds: 12, limit: 4000)
    let size = store.database.sqlite.sizeBytes
    #expect(try Self.count(store) > 3000)
    try await Self.flap(store, 1...400, rounds: 40, limit: 4000)
    #expect(Double(store.database.sqlite.sizeBytes) < Double(size) * 1.25)
    #expect(try store.rows("PRAGMA integrity_check") == ["ok"])
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
  }

  @Test("the oldest changes go first, and a favorite's history is never touched")
  func favorites() async throws {
    let store = try await Store()
    try await store.sync((1...10).map { FeedOffer("\($0)") }, at: 1000)
    _ = try await store.database.setFavorites(named: ["3"], to: true)
    try await Self.flap(store, 1...10, rounds: 60, limit: 100)
    #expect(
      try store.rows("SELECT count(*) FROM change WHERE offer_key = 3 AND kind = 'changed'") == [
        "60"
      ])
    let others = try store.rows(
      "SELECT change_id FROM change WHERE offer_key = 5 AND kind = 'changed' ORDER BY change_id")
    #expect((5...10).contains(others.count))
    let last = Int(try store.rows("SELECT max(change_id) FROM change")[0]) ?? 0
    #expect((Int(others[0]) ?? 0) > last - 110)
    // The row of the first sync concerns the favorite, too.
    #expect(try store.rows("SELECT count(*) FROM change WHERE kind = 'first'") == ["1"])
    // With favorites only, nothing is due.
    _ = try await store.database.setFavorites(named: (1...10).map(String.init), to: true)
    let rest = try Self.count(store)
    #expect(try await Self.surplus(store, 20) == nil)
    try await store.database.clearAway(at: ChangeTests.date(2000), limit: HistoryLimit(count: 20))
    #expect(try Self.count(store) == rest)
  }

  private static func surplus(_ store: Store, _ count: Int64) async throws -> Int64? {
    try await store.database.transaction(.read) {
      try StoredHistory($0).findSurplus(over: HistoryLimit(count: count))
    }
  }

  @Test("the offers of a first sync count once")
  func firstSyncs() async throws {
    let store = try await Store()
    try await store.sync((1...500).map { FeedOffer("\($0)") }, at: 1000)
    try await store.sync((1...500).map { FeedOffer("\($0)") }, feed: "grocer", at: 1001)
    try await store.sync(
      (1...20).map { FeedOffer("\($0)", name: "a") } + (21...500).map { FeedOffer("\($0)") },
      at: 1002)
    #expect(try await Self.surplus(store, 22) == nil)
    #expect(try await Self.surplus(store, 21) == 3)
  }

  @Test("large changes are bounded by their size")
  func bytes() async throws {
    let store = try await Store()
    let limit = HistoryLimit(count: 2000, bytes: 1_000_000)
    for round in 1...40 {
      let text = String(repeating: "\(round) ", count: 5000)
      try await store.sync((1...5).map { FeedOffer("\($0)", name: text) }, at: 1000 + round)
      try await store.database.clearAway(at: ChangeTests.date(1000 + round), limit: limit)
      #expect(try await store.database.fetchHistorySize().bytes < 1_200_000, "round \(round)")
    }
    #expect(try Self.count(store) > 20)
  }

  @Test("the size is counted and estimated for the status")
  func size() async throws {
    let store = try await Store()
    #expect(try await store.database.fetchHistorySize().bytes == 0)
    try await Self.flap(store, 1...50, rounds: 60, limit: 1_000_000)
    let size = try await store.database.fetchHistorySize()
    #expect(try size.count == Self.count(store) && size.limit == 2_000_000)
    let exact =
      Int(
        try store.rows("SELECT sum(50 + coalesce(length(fields), 0)) FROM change")[0]) ?? 0
    #expect(abs(Double(size.bytes) / Double(exact) - 1) < 0.1)
  }

  @Test("a clock in doubt does not suspend the bound on the size")
  func withoutClock() async throws {
    let store = try await Store()
    for round in 1...30 {
      try await store.sync((1...10).map { FeedOffer("\($0)", name: "\(round)") }, at: 1000 + round)
    }
    try await store.database.clearAway(
      at: ChangeTests.date(500 * 86_400), limit: HistoryLimit(count: 100))
    #expect(try Self.count(store) < 100)
  }
}
