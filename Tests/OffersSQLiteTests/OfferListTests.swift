import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Lists of offers")
struct OfferListTests {
  /// Two feeds; in the first, `ibotta:3` is gone and a favorite, `ibotta:5` is only gone.
  private static func filled() async throws -> Store {
    let store = try await Store()
    let offers = ["9", "3", "7", "5", "1"].map { FeedOffer($0) }
    try await store.sync(offers)
    try await store.sync((1...20).map { FeedOffer("\($0)") }, feed: "grocer")
    _ = try await store.database.setFavorites(
      named: ["grocer:2", "ibotta:3", "ibotta:1"], to: true)
    try await store.sync(offers.filter { $0.id != "3" && $0.id != "5" }, at: 2000)
    return store
  }

  private static func refs(_ store: Store, _ query: OfferQuery) async throws -> [String] {
    try await store.database.fetchOffers(query).map(\.ref.description)
  }

  @Test("offers are listed in the order of their feeds, without gone ones")
  func keepsFeedOrder() async throws {
    let store = try await Self.filled()
    #expect(
      try await Self.refs(store, OfferQuery(feed: "ibotta")) == [
        "ibotta:9", "ibotta:7", "ibotta:1",
      ])
    #expect(
      try await Self.refs(store, OfferQuery())
        == ["ibotta:9", "ibotta:7", "ibotta:1"] + (1...20).map { "grocer:\($0)" })
  }

  @Test("a limit truncates the list; zero returns none and a large one returns all")
  func limits() async throws {
    let store = try await Self.filled()
    #expect(try await Self.refs(store, OfferQuery(limit: 2)) == ["ibotta:9", "ibotta:7"])
    #expect(try await Self.refs(store, OfferQuery(limit: 0)) == [])
    #expect(try await Self.refs(store, OfferQuery(limit: 1000)).count == 23)
  }

  @Test("pages list every offer exactly once", arguments: [1, 7, 23, 24], [nil, "grocer"])
  func pages(size: Int, feed: String?) async throws {
    let store = try await Self.filled()
    var seen: [String] = []
    var query = OfferQuery(feed: feed, limit: size)
    while true {
      let page = try await store.database.fetchOffers(query)
      #expect(page.count <= size)
      guard let last = page.last, seen.count < 100 else { break }
      seen += page.map(\.ref.description)
      query.after = OfferPlace(last.ref)
    }
    #expect(try await seen == Self.refs(store, OfferQuery(feed: feed)))
  }

  @Test("a page continues after an offer that vanished meanwhile")
  func pagesBehindGone() async throws {
    let store = try await Self.filled()
    let gone = OfferQuery(
      feed: "ibotta", after: OfferPlace(OfferRef(feed: "ibotta", offerID: "3")))
    #expect(try await Self.refs(store, gone) == ["ibotta:7", "ibotta:1"])
  }

  @Test("gone favorites are listed with favorites")
  func listsGoneFavorites() async throws {
    let store = try await Self.filled()
    let offers = try await store.database.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(offers.map(\.ref.description) == ["ibotta:3", "ibotta:1", "grocer:2"])
    #expect(offers.map(\.state) == [.gone, .current, .current])
    #expect(offers.map(\.isFavorite) == [true, true, true])
    #expect(
      try await Self.refs(store, OfferQuery(feed: "grocer", favoritesOnly: true)) == ["grocer:2"])
  }

  @Test("counts agree with the lists, whatever the limit")
  func counts() async throws {
    let store = try await Self.filled()
    for feed in [nil, "ibotta", "grocer"] {
      for favoritesOnly in [false, true] {
        let all = OfferQuery(feed: feed, favoritesOnly: favoritesOnly)
        let limited = OfferQuery(feed: feed, favoritesOnly: favoritesOnly, limit: 1)
        let count = try await Self.refs(store, all).count
        #expect(try await store.database.countOffers(all) == count)
        #expect(try await store.database.countOffers(limited) == count)
      }
    }
  }

  @Test("an unknown feed is an error that names the known ones")
  func refusesUnknownFeed() async throws {
    let store = try await Self.filled()
    for call in [false, true] {
      let error = await #expect(throws: OffersError.self) {
        let query = OfferQuery(feed: "walmart")
        if call {
          _ = try await store.database.countOffers(query)
        } else {
          _ = try await store.database.fetchOffers(query)
        }
      }
      #expect(error?.code == .notFound)
      #expect(error?.hint == "Feeds: grocer, ibotta.")
    }
    let empty = try await Store()
    #expect(try await empty.database.fetchOffers(OfferQuery(feed: "ibotta")) == [])
  }

  /// The query plan of an offer query.
  private static func plan(
    _ store: Store, _ sql: String, _ arguments: StatementArguments
  ) async throws -> [String] {
    try await store.database.read { database in
      try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments)
        .map { $0["detail"] }
    }
  }

  @Test("finding an offer reads no more than that offer")
  func findsByIndex() async throws {
    let store = try await Self.filled()
    let find = try await Self.plan(store, OfferTable.findSQL, [User.ownerID, "ibotta", "1"])
    #expect(
      find.contains { $0.hasPrefix("SEARCH offer USING INDEX offer_by_id (feed_key=? AND id=?)") })
    #expect(!find.contains { $0.hasPrefix("SCAN") })
    let feeds = try await Self.plan(store, OfferTable.feedsWithIDSQL, ["1"])
    #expect(feeds.contains { $0.hasPrefix("SEARCH offer USING COVERING INDEX offer_by_id") })
    #expect(!feeds.contains { $0.hasPrefix("SCAN offer") })
  }
}
