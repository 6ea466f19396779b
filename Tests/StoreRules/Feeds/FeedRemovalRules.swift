import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("The removal of a feed's offers")
struct FeedRemovalRules {
  private static let now = Date.at(5000)

  /// Two feeds of five and two offers. The last offer is one of `last`.
  private static func filled(_ kind: StoreKind, last: String) async throws -> DatabaseHome {
    let home = try await DatabaseHome(kind)
    for feed in ["tea", "jam"].sorted(by: { a, _ in a != last }) {
      try await home.sync(
        (1...(feed == "tea" ? 5 : 2)).map { FeedOffer("\(feed)\($0)") }, feed: feed, at: 1000)
    }
    try await home.sync(
      (2...5).map { FeedOffer("tea\($0)", name: "Tea \($0)") }, feed: "tea", at: 2000)
    return home
  }

  private static func ids(_ home: DatabaseHome) async throws -> [String] {
    let now = try await home.store.ids()
    return try await (now + home.store.ids(OfferQuery(goneOnly: true)).map { "gone " + $0 })
      .sorted()
  }

  @Test(
    "removes its offers and changes and no others, and a sync has them anew",
    arguments: StoreKind.allCases, ["tea", "jam"])
  func removesAll(kind: StoreKind, last: String) async throws {
    let home = try await Self.filled(kind, last: last)
    try await home.store.removeOffers(of: "tea", at: Self.now)
    #expect(try await home.store.countEverything().offers == 7, "a subscribed feed keeps them")
    #expect(try await home.store.unsubscribe(from: "tea"))
    for _ in 1...2 {
      try await home.store.removeOffers(of: "tea", at: Self.now)
      #expect(try await Self.ids(home) == ["jam1", "jam2"])
      #expect(
        try await home.store.fetchFormerFeeds()
          == [FormerFeed(name: "tea", title: nil, source: nil)])
    }
    #expect(
      try await home.store.exported().records.compactMap {
        if case .change(let change) = $0 { change.ref.feed } else { nil }
      } == ["jam", "jam"])
    #expect(try await home.store.search(SearchQuery("tea")).hits.isEmpty)
    try await home.store.removeOffers(of: "nosuch", at: Self.now)
    // Neither a key nor a number of a removed row is used again.
    let later = Int(Date().timeIntervalSince1970) + 1000
    let mark = try await home.store.fetchChanges(ChangeQuery(now: .at(later))).lastID
    try await home.sync([FeedOffer("new")], feed: "oil", at: later)
    try await home.sync((1...3).map { FeedOffer("tea\($0)") }, feed: "tea", at: later + 1)
    var query = ChangeQuery(now: .at(later + 2))
    query.afterID = mark
    let changes = try await home.store.fetchChanges(query).changes
    #expect(changes.map(\.at) == [.at(later), .at(later + 1)])
    #expect(try await home.store.fetchChanges(ChangeQuery(now: .at(later + 2))).changes.count == 3)
    #expect(try await home.miscounts() == [])
    #expect(try await Self.ids(home) == ["jam1", "jam2", "new", "tea1", "tea2", "tea3"])
  }

  @Test("keeps favorites of anybody as gone, with their history", arguments: StoreKind.allCases)
  func keepsFavorites(kind: StoreKind) async throws {
    let home = try await Self.filled(kind, last: "jam")
    try await home.store.setFavorites(named: ["tea:tea3"], to: true)
    let ben = try await home.store.addUser(named: "ben", role: .member)
    try await home.store.bound(to: ben).setFavorites(named: ["tea:tea5"], to: true)
    let history = try await home.history("tea:tea3")
    #expect(try await home.store.unsubscribe(from: "tea"))
    try await home.store.removeOffers(of: "tea", at: Self.now)
    #expect(try await Self.ids(home) == ["gone tea3", "gone tea5", "jam1", "jam2"])
    #expect(try await home.store.fetchOffer(named: "tea3").goneAt == Self.now)
    #expect(try await home.store.stars() == ["tea:tea3"])
    #expect(try await home.history("tea:tea3").starts(with: history))
    #expect(try await home.store.fetchHistory(named: "tea:tea3").points.last?.event == .gone)
    #expect(
      try await home.store.fetchFormerFeeds()
        == [FormerFeed(name: "tea", title: nil, source: nil, goneCount: 2, favoriteCount: 1)])
    // An offer whose feed has it again is current again.
    let later = Int(Date().timeIntervalSince1970) + 1000
    try await home.sync([FeedOffer("tea3", name: "Tea 3")], feed: "tea", at: later)
    #expect(try await Self.ids(home) == ["gone tea5", "jam1", "jam2", "tea3"])
    #expect(try await home.miscounts() == [])
  }

  @Test(
    "gives the key and the number of no removed offer to the next one",
    arguments: StoreKind.allCases)
  func neverReusesNumbers(kind: StoreKind) async throws {
    let home = try await Self.filled(kind, last: "tea")
    try await home.store.setFavorites(named: ["tea:tea3"], to: true)
    #expect(try await home.store.unsubscribe(from: "tea"))
    try await home.store.removeOffers(of: "tea", at: Self.now)
    #expect(try await Self.ids(home) == ["gone tea3", "jam1", "jam2"])
    let points = try await home.store.fetchHistory(named: "tea:tea3").points
    #expect(points.map(\.event) == [.new, .changed, .gone])
    #expect(points.last?.at == Self.now)
    let later = Int(Date().timeIntervalSince1970) + 1000
    try await home.sync([FeedOffer("new")], feed: "oil", at: later)
    let new = try await home.store.fetchChanges(ChangeQuery(feed: "oil", now: .at(later + 1)))
    #expect(new.changes.map(\.at) == [.at(later)])
    let old = try await home.store.fetchChanges(ChangeQuery(feed: "tea", now: .at(later + 1)))
    #expect(!old.changes.contains { $0.offer?.ref.feed == "oil" })
  }
}
