import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Pruning")
struct PruneRules {
  private static let day = 86_400

  private static func prune(
    _ home: DatabaseHome, goneBefore: Int, now: Int, isTrial: Bool = false
  ) async throws -> PruneCounts {
    try await home.store.prune(
      goneBefore: .at(goneBefore), now: .at(now), trustsClock: true, isTrial: isTrial)
  }

  private static func counts(offers: Int = 0, changes: Int = 0, runs: Int = 0) -> PruneCounts {
    var counts = PruneCounts()
    counts.offers = offers
    counts.changes = changes
    counts.runs = runs
    return counts
  }

  /// The ids of all offers, sorted.
  private static func ids(_ home: DatabaseHome) async throws -> [String] {
    let queries = [OfferQuery(), OfferQuery(goneOnly: true)]
    var ids: [String] = []
    for query in queries { ids += try await home.store.ids(query) }
    return ids.sorted()
  }

  /// Five offers. 2, which is a favorite, 3 and 4 vanish, 4 later than the others; 5 vanishes and is
  /// back.
  private static func filled(_ kind: StoreKind) async throws -> DatabaseHome {
    let home = try await DatabaseHome(kind)
    try await home.sync((1...5).map { FeedOffer("\($0)") }, at: 1000)
    _ = try await home.store.setFavorites(named: ["2"], to: true)
    try await home.sync([FeedOffer("1"), FeedOffer("4")], at: 2000)
    try await home.sync([FeedOffer("1"), FeedOffer("5")], at: 3000)
    return home
  }

  @Test(
    "expired offers are removed with their changes, favorites never",
    arguments: StoreKind.allCases)
  func offers(kind: StoreKind) async throws {
    let home = try await Self.filled(kind)
    for isTrial in [true, false] {
      #expect(
        try await Self.prune(home, goneBefore: 2000, now: 5000, isTrial: isTrial)
          == Self.counts(offers: 1, changes: 1))
    }
    #expect(try await Self.ids(home) == ["1", "2", "4", "5"])
    #expect(try await home.miscounts() == [])
    #expect(
      try await home.store.exported().records.compactMap {
        if case .change(let change) = $0 {
          "\(change.ref.offerID) \(change.kind.rawValue)"
        } else {
          nil
        }
      } == ["1 new", "2 new", "4 new", "5 new", "2 gone", "5 gone", "5 back", "4 gone"])
    #expect(try await Self.prune(home, goneBefore: 2000, now: 5000) == PruneCounts())
  }

  @Test(
    "changes are removed after 400 days, except rows that include a favorite",
    arguments: StoreKind.allCases)
  func changes(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    try await home.sync((1...3).map { FeedOffer("\($0)") }, at: 1000)
    try await home.sync((1...3).map { FeedOffer("\($0)", name: "Tea") }, at: 2000)
    try await home.sync([FeedOffer("1", name: "Jam")], feed: "grocer", at: 2500)
    try await home.sync((1...3).map { FeedOffer("\($0)", name: "Jam") }, at: 3000)
    _ = try await home.store.setFavorites(named: ["ibotta:2"], to: true)
    let now = 2000 + 400 * Self.day
    #expect(try await Self.prune(home, goneBefore: 0, now: now) == PruneCounts())
    for isTrial in [true, false] {
      // The changes of 2 reference these runs, and its first sync.
      #expect(
        try await Self.prune(home, goneBefore: 0, now: now + 600, isTrial: isTrial)
          == Self.counts(changes: 3))
    }
    _ = try await home.store.setFavorites(named: ["ibotta:2"], to: false)
    try await home.sync([FeedOffer("1", name: "Jam")], at: now)
    for isTrial in [true, false] {
      #expect(
        try await Self.prune(home, goneBefore: 0, now: now + 5000, isTrial: isTrial)
          == Self.counts(changes: 7, runs: 3))
    }
  }

  @Test(
    "runs without changes are removed after 30 days, except a feed's last and last good one",
    arguments: StoreKind.allCases)
  func runs(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    for seconds in [1000, 2000, 3000] { try await home.sync([FeedOffer("1")], at: seconds) }
    for seconds in [4000, 5000] {
      try await home.store.record(
        SyncRun(
          feed: "ibotta", source: "x", outcome: .failed, bytes: 0, startedAt: .at(seconds),
          durationSeconds: 0, error: OffersError(.sourceFailed, "No answer.")), remember: nil,
        fetch: nil)
    }
    #expect(try await Self.prune(home, goneBefore: 0, now: 2000 + 30 * Self.day) == PruneCounts())
    for isTrial in [true, false] {
      #expect(
        try await Self.prune(home, goneBefore: 0, now: 6000 + 30 * Self.day, isTrial: isTrial)
          == Self.counts(runs: 2))
    }
    #expect(try await home.store.exported().runs.map(\.startedAt) == [1000, 3000, 5000])
  }

  @Test(
    "a trial counts what a prune would remove, and removes nothing",
    arguments: StoreKind.allCases, 1...4)
  func trial(kind: StoreKind, seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let home = try await DatabaseHome(kind)
    var now = 1000
    for _ in 0..<30 {
      now += Int.random(in: 1...60 * Self.day, using: &random)
      let ids = (1...40).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
      let feed = ["ibotta", "grocer"][Int.random(in: 0...1, using: &random)]
      try await home.sync(
        ids.map { FeedOffer("\($0)", name: "\(Int.random(in: 1...3, using: &random))") },
        feed: feed, at: now)
      if Int.random(in: 0..<5, using: &random) == 0 {
        try await home.star(ids.prefix(3).map { ("\(feed):\($0)", 1) })
      }
    }
    let before = try await home.store.countEverything()
    let text = try await home.store.exported().text()
    let gone = now - Int.random(in: 0...300 * Self.day, using: &random)
    let trial = try await Self.prune(home, goneBefore: gone, now: now, isTrial: true)
    #expect(try await home.store.exported().text() == text)
    let counts = try await Self.prune(home, goneBefore: gone, now: now)
    #expect(counts == trial)
    let after = try await home.store.countEverything()
    #expect(before.offers - after.offers == counts.offers)
    #expect(before.changes - after.changes == counts.changes)
    #expect(before.runs - after.runs == counts.runs)
    #expect(before.favorites == after.favorites)
    #expect(try await home.miscounts() == [])
  }

  @Test(
    "no number is given again, also after the newest offers and changes were removed",
    arguments: StoreKind.allCases)
  func numbers(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    try await home.sync((1...3).map { FeedOffer("\($0)") }, at: 1000)
    try await home.sync([], at: 2000)
    let now = 2000 * Self.day
    let last = try await home.store.fetchChanges(ChangeQuery(now: .at(now))).lastID
    #expect(try await Self.prune(home, goneBefore: now, now: now).offers == 3)
    #expect(try await home.store.countEverything().changes == 0)
    try await home.sync([FeedOffer("1")], at: now)
    let query = ChangeQuery(afterID: last, now: .at(now))
    #expect(try await home.store.fetchChanges(query).changes.count == 1)
  }

  /// A transaction removes 2,000 changes or offers.
  @Test(
    "changes and the offers of a feed are removed in several transactions",
    arguments: StoreKind.allCases)
  func removesInBatches(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    for (name, seconds) in [("a", 1000), ("b", 2000)] {
      try await home.sync((1...2100).map { FeedOffer("\($0)", name: name) }, at: seconds)
    }
    // The first sync is one change for each of its offers.
    #expect(
      try await Self.prune(home, goneBefore: 0, now: 3000 + 400 * Self.day).changes == 4200)
    #expect(try await home.store.countEverything().changes == 0)
    #expect(try await home.store.unsubscribe(from: "ibotta"))
    try await home.store.removeOffers(of: "ibotta", at: .at(4000))
    #expect(try await home.store.countEverything().offers == 0)
    #expect(try await Self.ids(home) == [])
  }

  @Test("facts tell sizes and times", arguments: StoreKind.allCases)
  func facts(kind: StoreKind) async throws {
    let home = try await DatabaseHome(kind)
    #expect(try await home.store.findNewestTime() == nil)
    try await home.sync((1...3).map { FeedOffer("\($0)") }, at: 1000)
    try await home.sync((1...2).map { FeedOffer("\($0)", name: "Tea") }, at: 2000)
    try await home.star([("ibotta:1", 3000)])
    #expect(
      try await home.store.countEverything()
        == StoreCounts(offers: 3, favorites: 1, changes: 6, runs: 2))
    #expect(try await home.store.findNewestTime() == .at(3000))
    #expect(
      try await home.store.countTimes(after: .at(1500))
        == FutureTimestamps(runs: 1, offers: 3, images: 0, latest: .at(2000)))
    let size = try await home.store.fetchHistorySize()
    #expect(size.count > 0 && size.bytes > 0 && size.limit == HistoryLimit.standard.count)
  }
}
