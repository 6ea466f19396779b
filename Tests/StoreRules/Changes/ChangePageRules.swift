import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Pages of changes", .timeLimit(.minutes(2)))
struct ChangePageRules {
  private static func line(_ change: OfferChange) -> String {
    "\(change.kind.rawValue) \(change.offer?.ref.description ?? change.feed)"
  }

  /// All changes after a number, read in pages of a size.
  private static func read(
    _ store: OffersDatabase, pages size: Int, _ edit: (inout ChangeQuery) -> Void = { _ in }
  ) async throws -> [OfferChange] {
    var query = ChangeQuery(afterID: 0, limit: size, now: .at(10_000))
    edit(&query)
    var read: [OfferChange] = []
    while read.count < 1000 {
      let page = try await store.fetchChangePage(query)
      #expect(page.changes.count <= size)
      read += page.changes
      query.afterID = page.lastID
      query.afterExpiring = page.lastExpiring
      if !page.hasMore { return read }
      #expect(!page.changes.isEmpty || size == 0)
    }
    return read
  }

  /// Two feeds with several syncs, and offers that expire.
  private static func filled(_ kind: StoreKind) async throws -> OffersDatabase {
    let store = try await kind.open().store
    func offer(_ number: Int, _ name: String = "Tea") -> FeedOffer {
      FeedOffer(
        "\(number)", name: name,
        more: number.isMultiple(of: 2) ? [.expiresAt: "\(10_000 + number / 4)"] : [:])
    }
    try await store.sync((1...9).map { offer($0) })
    try await store.sync((3...12).map { offer($0, "Jam") }, at: 2000)
    try await store.sync([offer(1)], feed: "grocer", at: 1500)
    try await store.sync((1...12).map { offer($0) }, at: 3000)
    try await store.setFavorites(named: ["2", "4", "11", "12"], to: true)
    return store
  }

  @Test(
    "a query for some offers lists their changes only, as a query for all does",
    arguments: StoreKind.allCases, [false, true])
  func someOffers(kind: StoreKind, favoritesOnly: Bool) async throws {
    let store = try await Self.filled(kind)
    var query = ChangeQuery(favoritesOnly: favoritesOnly, now: .at(10_000))
    let all = try await store.fetchChanges(query).changes
    // Two of the first sync, one of a later one, one of another feed, and one that there is not.
    let refs = Set(
      ["2", "3", "4", "11", "99"].map { OfferRef(feed: "ibotta", offerID: $0) }
        + [OfferRef(feed: "grocer", offerID: "1"), OfferRef(feed: "none", offerID: "1")])
    query.offers = refs
    let some = try await store.fetchChanges(query).changes
    #expect(some == all.filter { change in change.offer.map { refs.contains($0.ref) } ?? false })
    #expect(some.contains { $0.kind == .new } && some.contains { $0.kind == .gone })
    #expect(
      try await Self.read(store, pages: 2) { ($0.favoritesOnly, $0.offers) = (favoritesOnly, refs) }
        .count == some.count)
    query.kinds = [.expiring]
    #expect(try await store.fetchChanges(query).changes.compactMap(\.offer?.ref.offerID) == ["4"])
    query.offers = []
    #expect(try await store.fetchChanges(query).changes.isEmpty)
  }

  @Test(
    "pages of any size list every change once, the recorded ones in the order of their numbers",
    arguments: StoreKind.allCases, [false, true])
  func pages(kind: StoreKind, favoritesOnly: Bool) async throws {
    let store = try await Self.filled(kind)
    let all = try await Self.read(store, pages: 1000) { $0.favoritesOnly = favoritesOnly }
    let listed = try await store.fetchChanges(
      ChangeQuery(favoritesOnly: favoritesOnly, now: .at(10_000)))
    #expect(all.count == listed.changes.count && Set(all) == Set(listed.changes))
    #expect(all.contains { $0.kind == .expiring } && all.contains { $0.kind == .gone })
    let recorded = all.prefix { $0.changeID != nil }
    #expect(all.dropFirst(recorded.count).allSatisfy { $0.kind == .expiring })
    let ids = recorded.compactMap(\.changeID)
    #expect(ids == ids.sorted() && Set(ids).count == ids.count)
    for size in [1, 2, 3, 7, all.count, all.count + 1] {
      let read = try await Self.read(store, pages: size) { $0.favoritesOnly = favoritesOnly }
      #expect(read == all, "\(size)")
    }
  }

  @Test(
    "nothing appears behind a cursor, whatever is synced between two pages",
    arguments: StoreKind.allCases)
  func cursors(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    var random = SeededGenerator(seed: 5)
    var query = ChangeQuery(afterID: 0, limit: 3, now: .at(20_000))
    var read: [OfferChange.ID] = []
    var round = 0
    var hasMore = true
    while hasMore || round <= 12 {
      let page = try await store.fetchChangePage(query)
      read += page.changes.map(\.id)
      #expect(page.lastID >= query.afterID ?? 0)
      query.afterID = page.lastID
      hasMore = page.hasMore
      round += 1
      if round > 12 { continue }
      // Also syncs that began before others, and first syncs of feeds.
      let feed = ["ibotta", "grocer", "feed-\(round)"].randomElement(using: &random) ?? ""
      let offers = (1...12).filter { _ in Bool.random(using: &random) }
      try await store.sync(
        offers.map { FeedOffer("\($0)", name: "\(round)") }, feed: feed,
        at: Int.random(in: 100...9000, using: &random))
    }
    let all = try await store.fetchChanges(ChangeQuery(now: .at(20_000))).changes.map(\.id)
    #expect(read.count == all.count && Set(read) == Set(all))
  }

  @Test(
    "nothing appears behind a cursor, with four writers at once and a reader that polls",
    arguments: StoreKind.allCases)
  func concurrentWriters(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let stores = [opened.store, try await opened.openAgain()]
    let read = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for number in 0..<4 {
        group.addTask {
          for round in 1...8 {
            let offers = (1...round).map { FeedOffer("\($0)", name: "\(round)") }
            try await stores[number % 2].sync(offers, feed: "feed-\(number)", at: round)
          }
          return []
        }
      }
      group.addTask {
        var read: [Int64] = []
        var query = ChangeQuery(afterID: 0, limit: 7, now: .at(1))
        // Each feed has one change of its first sync, and each later sync one for each offer.
        while read.count < 4 * (1 + (2...8).reduce(0, +)) {
          let page = try await stores[1].fetchChangePage(query)
          read += page.changes.compactMap(\.changeID)
          query.afterID = page.lastID
        }
        return read
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(read == read.sorted() && Set(read).count == read.count)
    let all = try await opened.store.fetchChanges(ChangeQuery(now: .at(1))).changes
    #expect(all.count == read.count)
  }

  @Test("a cursor that the store has not reached is refused", arguments: StoreKind.allCases)
  func refusesCursors(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    let last = try await store.fetchChanges(ChangeQuery(now: .at(20_000))).lastID
    let end = try await store.fetchChangePage(ChangeQuery(afterID: last, now: .at(20_000)))
    #expect(end.changes == [] && end.lastID == last && !end.hasMore)
    let error = await refusal {
      _ = try await store.fetchChangePage(ChangeQuery(afterID: last + 1, now: .at(20_000)))
    }
    #expect(error?.code == .invalidRequest)
  }

  @Test(
    "an empty store has one page, without changes", arguments: StoreKind.allCases)
  func empty(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let none = try await opened.store.fetchChangePage(ChangeQuery(now: .at(20_000)))
    #expect(none == ChangePage(changes: [], lastID: 0, hasMore: false))
    try await opened.store.sync([FeedOffer("1")])
    try await opened.store.sync([FeedOffer("2")], at: 2000)
    let all = try await Self.read(opened.store, pages: 9)
    #expect(all.map(Self.line) == ["first ibotta", "new ibotta:2", "gone ibotta:1"])
  }

  @Test(
    "a removed offer is not told as new, and pages are still full", arguments: StoreKind.allCases)
  func passesOverRemoved(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("0")])
    try await store.sync((0...20).map { FeedOffer("\($0)") }, at: 1500)
    try await store.sync(([0] + (11...20)).map { FeedOffer("\($0)") }, at: 2000)
    let pruned = try await store.prune(
      goneBefore: .at(2000), now: .at(3000), trustsClock: true, isTrial: false)
    #expect(pruned.offers == 10)
    var query = ChangeQuery(now: .at(3000))
    query.kinds = [.new]
    let all = try await store.fetchChanges(query).changes
    #expect(all.map(\.offer?.ref.offerID) == (11...20).map(String.init))
    query.limit = 4
    #expect(try await store.fetchChanges(query).changes == all.suffix(4))
    query.afterID = 3
    let page = try await store.fetchChangePage(query)
    #expect(page.changes == Array(all.prefix(4)))
    #expect(page.hasMore && page.lastID == page.changes.last?.changeID)
    query.afterID = page.lastID
    #expect(try await store.fetchChangePage(query).changes == Array(all[4..<8]))
  }
}
