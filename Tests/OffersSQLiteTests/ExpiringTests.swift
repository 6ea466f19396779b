import Foundation
import OffersCore
import Testing

@testable import OffersSQLite

@Suite("Offers that expire, and favorites under another id")
struct ExpiringTests {
  private static let day = 86_400

  private static func changes(
    _ store: Store, now: Int, _ edit: (inout ChangeQuery) -> Void = { _ in }
  ) async throws -> [OfferChange] {
    var query = ChangeQuery(now: ChangeTests.date(now))
    edit(&query)
    return try await store.database.fetchChanges(query).changes
  }

  @Test("an offer is expiring in its last 48 hours, from their start or its first sighting")
  func window() async throws {
    let store = try await Store()
    let now = 100 * Self.day
    try await store.sync((1...5).map { FeedOffer("\($0)") }, at: now - 10 * Self.day)
    try await store.sync((1...6).map { FeedOffer("\($0)") }, at: now - 100)
    try await store.sync([1, 2, 3, 4, 6].map { FeedOffer("\($0)") }, at: now - 50)
    for (key, end) in [
      (1, now), (2, now + 1), (3, now + 2 * Self.day), (4, now + 2 * Self.day + 1), (5, now + 9),
      (6, now + 7),
    ] {
      try store.execute("INSERT INTO offer_detail (offer_key, expires_at) VALUES (\(key), \(end))")
    }
    let told = try await Self.changes(store, now: now) { $0.kinds = [.expiring] }
    #expect(told.map(\.offer?.ref.offerID) == ["2", "6", "3"])
    #expect(
      told.map { Int($0.at.timeIntervalSince1970) } == [now + 1 - 2 * Self.day, now - 100, now])
    #expect(told.allSatisfy { $0.changeID == nil && $0.kind == .expiring })
    // A mark concerns recorded changes only; for expiring offers, `since` counts.
    let later = try await Self.changes(store, now: now) {
      $0.since = ChangeTests.date(now - 100)
      $0.afterID = 1000
    }
    #expect(later.map(\.offer?.ref.offerID) == ["6", "3"])
    _ = try await store.database.setFavorites(named: ["3", "4", "5"], to: true)
    let favorites = try await Self.changes(store, now: now) {
      $0.kinds = [.expiring]
      $0.favoritesOnly = true
    }
    #expect(favorites.map(\.offer?.ref.offerID) == ["3"])
  }

  @Test("a new offer with the name and description of a gone favorite refers to it")
  func returned() async throws {
    let store = try await Store()
    let tea = FeedOffer("1", name: "Th\u{E9}", description: "20 bags")
    try await store.sync([tea, FeedOffer("2", name: "Jam"), FeedOffer("3", name: "Bun")])
    _ = try await store.database.setFavorites(named: ["1", "2", "3"], to: true)
    let news = [
      FeedOffer("3", name: "Bun"), FeedOffer("11", name: "Th\u{E9}", description: "20 bags"),
      FeedOffer("12", name: "The\u{301}", description: "20 bags"),
      FeedOffer("13", name: "Th\u{E9}"),
      FeedOffer("14", name: "Jam"), FeedOffer("15", name: "Bun"),
    ]
    try await store.sync(news, at: 2000)
    try await store.sync([FeedOffer("10")], feed: "grocer", at: 1500)
    try await store.sync([FeedOffer("16", name: "Jam")], feed: "grocer", at: 2000)
    let told = try await Self.changes(store, now: 3000) {
      $0.kinds = [.new]
      $0.since = ChangeTests.date(2000)
    }
    #expect(told.map(\.offer?.ref.offerID) == ["11", "12", "13", "14", "15", "16"])
    #expect(
      told.map { $0.returned?.description } == ["ibotta:1", nil, nil, "ibotta:2", nil, nil])
    let second = try await store.database.fetchNews(
      after: ReaderMark(changeID: 3, readAt: ChangeTests.date(1500)), now: ChangeTests.date(3000))
    #expect(
      second.news.changes.map { "\($0.kind.rawValue) \($0.offer?.ref.offerID ?? "")" } == [
        "new 11", "new 14", "gone 1", "gone 2",
      ])
  }

  @Test("an offer from before the favorite vanished, or a favorite itself, is no successor")
  func notReturned() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("2")], at: 1000)
    _ = try await store.database.setFavorites(named: ["1"], to: true)
    try await store.sync([FeedOffer("2"), FeedOffer("3")], at: 2000)
    func returned() async throws -> [OfferRef?] {
      try await Self.changes(store, now: 3000) { $0.kinds = [.new] }.map(\.returned)
    }
    #expect(try await returned() == [OfferRef(feed: "ibotta", offerID: "1")])
    _ = try await store.database.setFavorites(named: ["3"], to: true)
    #expect(try await returned() == [nil])
  }
}
