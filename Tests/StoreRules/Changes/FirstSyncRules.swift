import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("First syncs among the changes")
struct FirstSyncRules {
  private static func filled(_ kind: StoreKind) async throws -> OffersDatabase {
    let store = try await kind.open().store
    try await store.sync((1...4).map { FeedOffer("\($0)") })
    try await store.sync([FeedOffer("1")], feed: "grocer", at: 2000)
    try await store.sync((1...5).map { FeedOffer("\($0)") }, at: 3000)
    return store
  }

  private static func lines(_ changes: [OfferChange]) -> [String] {
    changes.map { change in
      let what = change.offer?.ref.description ?? "\(change.feed) \(change.offerCount ?? 0)"
      return "\(change.kind.rawValue) \(what)"
    }
  }

  private static func lines(
    _ store: OffersDatabase, _ edit: (inout ChangeQuery) -> Void = { _ in }
  ) async throws -> [String] {
    var query = ChangeQuery(now: .at(9000))
    edit(&query)
    return lines(try await store.fetchChanges(query).changes)
  }

  @Test(
    "a feed's first sync is one entry, with the number of its offers", arguments: StoreKind.allCases
  )
  func oneEntry(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    let all = ["first ibotta 4", "first grocer 1", "new ibotta:5"]
    #expect(try await Self.lines(store) == all)
    #expect(try await Self.lines(store) { $0.feed = "grocer" } == [all[1]])
    #expect(try await Self.lines(store) { $0.kinds = [.first] } == Array(all.prefix(2)))
    #expect(try await Self.lines(store) { $0.kinds = [.new, .up] } == [all[2]])
    #expect(try await Self.lines(store) { $0.limit = 2 } == Array(all.suffix(2)))
    #expect(try await Self.lines(store) { $0.since = .at(2000) }.count == 2)
  }

  @Test(
    "it is no change of a favorite; the offer's history begins with it",
    arguments: StoreKind.allCases)
  func favorites(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    try await store.setFavorites(named: ["ibotta:1", "5"], to: true)
    #expect(try await Self.lines(store) { $0.favoritesOnly = true } == ["new ibotta:5"])
    let points = try await store.fetchHistory(named: "ibotta:1").points
    #expect(points.map(\.event) == [.new] && points.first?.at == .at(1000))
  }

  @Test("a cursor leads to it until it was read", arguments: StoreKind.allCases)
  func cursors(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    let all = ["first ibotta 4", "first grocer 1", "new ibotta:5"]
    let ids = try await store.fetchChanges(ChangeQuery(now: .at(9000))).changes.compactMap(
      \.changeID)
    #expect(ids.count == 3 && ids == ids.sorted())
    for (place, id) in ids.enumerated() {
      #expect(
        try await Self.lines(store) { $0.afterID = id } == Array(all.dropFirst(place + 1)))
      #expect(try await Self.lines(store) { $0.afterID = id - 1 } == Array(all.dropFirst(place)))
    }
  }

  @Test("it is no news", arguments: StoreKind.allCases)
  func news(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    try await store.setFavorites(named: ["ibotta:1", "5"], to: true)
    let news = try await store.fetchNews(
      after: ReaderMark(changeID: 0, readAt: .at(0)), now: .at(9000))
    let lastID = try await store.fetchChanges(ChangeQuery(now: .at(9000))).lastID
    #expect(news.news.isEmpty && news.lastID == lastID)
  }

  @Test(
    "it stays one entry after an export and an import, also into a store with other feeds",
    arguments: StoreKind.allCases)
  func transfer(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    let document = try await store.exported()
    let empty = try await kind.open().store
    try await empty.take(document)
    #expect(try await Self.lines(empty) == Self.lines(store))
    let other = try await kind.open().store
    try await other.sync([FeedOffer("1"), FeedOffer("2")], feed: "facts", at: 2500)
    try await other.take(document)
    #expect(
      try await Self.lines(other) == [
        "first ibotta 4", "first grocer 1", "first facts 2", "new ibotta:5",
      ])
  }

  @Test("pruning removes it with the history", arguments: StoreKind.allCases)
  func prunes(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    let late = 3000 + 401 * 86_400
    try await store.sync((1...6).map { FeedOffer("\($0)") }, at: late)
    _ = try await store.prune(
      goneBefore: .at(late), now: .at(late + 10), trustsClock: true, isTrial: false)
    #expect(try await Self.lines(store) { $0.since = .at(0) } == ["new ibotta:6"])
  }
}
