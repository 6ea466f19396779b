import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Offers that expire, and favorites under another id")
struct ExpiringRules {
  private static let day = 86_400

  private static func changes(
    _ store: OffersDatabase, now: Int, _ edit: (inout ChangeQuery) -> Void = { _ in }
  ) async throws -> [OfferChange] {
    var query = ChangeQuery(now: .at(now))
    edit(&query)
    return try await store.fetchChanges(query).changes
  }

  @Test(
    "an offer is expiring in its last 48 hours, from their start or its first sighting",
    arguments: StoreKind.allCases)
  func window(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let now = 100 * Self.day
    let offers = [
      now, now + 1, now + 2 * Self.day, now + 2 * Self.day + 1, now + 9, now + 7,
    ].enumerated().map { FeedOffer("\($0 + 1)", more: [.expiresAt: "\($1)"]) }
    try await store.sync(Array(offers.prefix(5)), at: now - 10 * Self.day)
    try await store.sync(offers, at: now - 100)
    try await store.sync(offers.filter { $0.id != "5" }, at: now - 50)
    let told = try await Self.changes(store, now: now) { $0.kinds = [.expiring] }
    #expect(told.map(\.offer?.ref.offerID) == ["2", "6", "3"])
    #expect(
      told.map { Int($0.at.timeIntervalSince1970) } == [now + 1 - 2 * Self.day, now - 100, now])
    #expect(told.allSatisfy { $0.changeID == nil && $0.kind == .expiring })
    // A mark concerns recorded changes only; for expiring offers, `since` counts.
    let later = try await Self.changes(store, now: now) {
      $0.since = .at(now - 100)
      $0.afterID = 1000
    }
    #expect(later.map(\.offer?.ref.offerID) == ["6", "3"])
    try await store.setFavorites(named: ["3", "4", "5"], to: true)
    let favorites = try await Self.changes(store, now: now) {
      $0.kinds = [.expiring]
      $0.favoritesOnly = true
    }
    #expect(favorites.map(\.offer?.ref.offerID) == ["3"])
  }

  @Test(
    "a new offer with the name and description of a gone favorite refers to it",
    arguments: StoreKind.allCases)
  func returned(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let tea = FeedOffer("1", name: "Th\u{E9}", description: "20 bags")
    try await store.sync([tea, FeedOffer("2", name: "Jam"), FeedOffer("3", name: "Bun")])
    try await store.setFavorites(named: ["1", "2", "3"], to: true)
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
      $0.since = .at(2000)
    }
    #expect(told.map(\.offer?.ref.offerID) == ["11", "12", "13", "14", "15", "16"])
    #expect(
      told.map { $0.returned?.description } == ["ibotta:1", nil, nil, "ibotta:2", nil, nil])
  }

  @Test(
    "an offer from before the favorite vanished, or a favorite itself, is no successor",
    arguments: StoreKind.allCases)
  func notReturned(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1"), FeedOffer("2")], at: 1000)
    try await store.setFavorites(named: ["1"], to: true)
    try await store.sync([FeedOffer("2"), FeedOffer("3")], at: 2000)
    func returned() async throws -> [OfferRef?] {
      try await Self.changes(store, now: 3000) { $0.kinds = [.new] }.map(\.returned)
    }
    #expect(try await returned() == [OfferRef(feed: "ibotta", offerID: "1")])
    try await store.setFavorites(named: ["3"], to: true)
    #expect(try await returned() == [nil])
  }
}
