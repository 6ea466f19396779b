import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite
@testable import OffersStore

@Suite("Query plans of offer lists")
struct OfferListPlanTests {
  /// A time before the first offer expires.
  private static let now = Date(timeIntervalSince1970: 3000)

  /// Offers with ends, labels and values. `old:1` and `shop:9` are gone, `shop:3` and `old:1` are
  /// favorites.
  private static func filled() async throws -> Store {
    let store = try await Store()
    let old = [FeedOffer("1", name: "Zwieback"), FeedOffer("2", name: "apple 10")]
    let shop = (1...10).map { number in
      var more: [OfferField: String] = [.retailer: "Mart", .categories: #"["Food"]"#]
      if number % 3 == 0 { more[.expiresAt] = "\(3000 + number * 500)" }
      return FeedOffer("\(number)", name: "Tea \(number)", more: more)
    }
    try await store.sync(old, feed: "old", at: 500)
    try await store.sync(shop, feed: "shop", at: 1000)
    try await store.sync([old[1]], feed: "old", at: 2000)
    try await store.sync(shop.filter { $0.id != "9" }, feed: "shop", at: 2000)
    _ = try await store.database.setFavorites(named: ["shop:3", "old:1"], to: true)
    return store
  }

  /// The plan of the only statement, or of the last one.
  private static func plan(
    _ change: (inout OfferQuery) -> Void = { _ in }
  ) async throws -> QueryPlanTests.Plan {
    try #require(try await plans(change).last)
  }

  /// The plans of the statements that find the keys.
  private static func plans(
    _ change: (inout OfferQuery) -> Void
  ) async throws -> [QueryPlanTests.Plan] {
    var query = OfferQuery(now: now, limit: 20)
    change(&query)
    let chosen = query
    let plans = try await QueryPlanTests.plans(try await filled()) { database in
      let transaction = SQLiteTransaction(database)
      let feedKey = try chosen.feed.flatMap { try FeedTable.findKey($0, in: transaction) }
      let keys = try SelectedOffers(
        chosen, of: User.ownerID, feeds: NamedFeeds(wanted: feedKey.map { [$0] } ?? []),
        in: transaction
      ).keys(offset: 0, limit: chosen.limit, in: transaction)
      #expect(!keys.isEmpty)
    }
    return plans.filter { $0.sql.contains("SELECT offer.offer_key") && $0.sql.contains("ORDER BY") }
  }

  /// The look-up of the favorites of an offer that only a search found.
  private static let star = [
    "CORRELATED SCALAR SUBQUERY 1", "SEARCH home USING INTEGER PRIMARY KEY (rowid=?)",
    "SEARCH star USING COVERING INDEX favorite_by_offer (feed=? AND id=?)",
  ]
  private static let window = Date(timeIntervalSince1970: 1)...Date(timeIntervalSince1970: 9000)

  @Test("the order of feeds needs one scan without a sort, starting at the last page's end")
  func feedOrder() async throws {
    for isReversed in [false, true] {
      for feed in [nil, "shop"] {
        let first = try await Self.plan {
          $0.feed = feed
          $0.isReversed = isReversed
        }
        #expect(first.steps == ["SCAN offer"] + Self.star, "\(first)")
        let next = try await Self.plan {
          $0.after = OfferPosition(OfferRef(feed: "shop", offerID: "5"))
          $0.feed = feed
          $0.isReversed = isReversed
        }
        #expect(next.uses("SEARCH offer USING INTEGER PRIMARY KEY (rowid"), "\(next)")
        #expect(!next.uses("TEMP B-TREE"), "\(next)")
      }
    }
  }

  @Test(
    "an order without an index scans the offers and sorts no more than the page",
    arguments: [OfferQuery.Sort.reward, .price, .name, .newest])
  func onePass(sort: OfferQuery.Sort) async throws {
    let plan = try await Self.plan { ($0.sort, $0.feed) = (sort, "shop") }
    #expect(
      plan.steps == ["SCAN offer"] + Self.star + ["USE TEMP B-TREE FOR ORDER BY"], "\(plan)")
    #expect(plan.sql.hasSuffix("LIMIT 20 OFFSET 0"))
  }

  @Test("the order of expiry uses its index without a sort")
  func expiryOrder() async throws {
    for isReversed in [false, true] {
      let plans = try await Self.plans {
        $0.sort = .expiry
        $0.isReversed = isReversed
      }
      let dated = ["SEARCH offer USING INDEX offer_by_expiry (expires_at>?)"] + Self.star
      #expect(plans.map(\.steps) == [dated, ["SCAN offer"] + Self.star], "\(plans)")
      let page = try await Self.plans {
        $0.sort = .expiry
        $0.isReversed = isReversed
        $0.limit = 2
      }
      #expect(page.map(\.steps) == [dated], "\(page)")
      let next = try await Self.plans {
        $0.sort = .expiry
        $0.isReversed = isReversed
        $0.limit = 1
        $0.after = OfferPosition(OfferRef(feed: "shop", offerID: isReversed ? "6" : "3"))
      }
      let place = isReversed ? "expires_at>? AND expires_at<?" : "expires_at>?"
      #expect(
        next.map(\.steps) == [
          ["SEARCH offer USING INDEX offer_by_expiry (\(place))"] + Self.star
        ], "\(next)")
    }
  }

  @Test("expiring offers are found by the index on expiry, without a sort")
  func expiring() async throws {
    for sort in [OfferQuery.Sort.expiry, .feed] {
      let plan = try await Self.plan {
        $0.expiring = Self.window
        $0.sort = sort
        $0.feed = "shop"
      }
      let range = "SEARCH offer USING INDEX offer_by_expiry (expires_at>? AND expires_at<?)"
      #expect(plan.uses(range), "\(plan)")
      #expect(plan.uses("TEMP B-TREE") == (sort == .feed), "\(plan)")
    }
  }

  @Test("gone offers are found without reading current ones")
  func gone() async throws {
    for sort in OfferQuery.Sort.allCases {
      let plan = try await Self.plan {
        $0.goneOnly = true
        $0.sort = sort
        $0.feed = "shop"
      }
      #expect(plan.uses("SEARCH offer USING INDEX offer_by_gone (gone_at>?)"), "\(plan)")
      #expect(!plan.uses("SCAN"), "\(plan)")
    }
  }

  @Test("a list of favorites reads no other offers", arguments: [nil, "shop"])
  func favorites(feed: String?) async throws {
    let plan = try await Self.plan {
      $0.favoritesOnly = true
      ($0.feed, $0.sort) = (feed, feed == nil ? .feed : .reward)
    }
    let keys = feed == nil ? "user_key=?" : "user_key=? AND feed=?"
    #expect(plan.uses("SEARCH favorite USING PRIMARY KEY (\(keys))"), "\(plan)")
    let id = "sqlite_autoindex_offer_1 (feed_key=? AND id=?)"
    #expect(plan.uses("SEARCH offer USING INDEX \(id)") && !plan.uses("SCAN"), "\(plan)")
  }

  @Test("retailers and categories are filtered by a scan, in the order of feeds")
  func labels() async throws {
    let plan = try await Self.plan {
      $0.retailer = "mart"
      $0.category = "food"
    }
    #expect(plan.steps == ["SCAN offer"] + Self.star, "\(plan)")
  }

  @Test("the offers of a page are looked up by key in one statement")
  func readsPage() async throws {
    let plans = try await QueryPlanTests.plans(try await Self.filled()) { database in
      let (offers, count) = try OfferTable.page(
        keys: [5, 99, 3, 4], of: User.ownerID, maximumBytes: 10_000,
        in: SQLiteTransaction(database))
      #expect(offers.map(\.ref.description) == ["shop:3", "shop:1", "shop:2"] && count == 4)
    }
    #expect(plans.count == 1)
    for plan in plans {
      #expect(plan.uses("SEARCH offer USING INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
      #expect(!plan.uses("SCAN offer") && !plan.uses("SCAN feed"), "\(plan)")
    }
  }

  @Test("counting whole feeds reads no offers but expired ones, and finds")
  func counts() async throws {
    let store = try await Self.filled()
    for feed in [nil, "shop"] {
      let plans = try await QueryPlanTests.plans(store) { database in
        let transaction = SQLiteTransaction(database)
        let feedKey = try feed.flatMap { try FeedTable.findKey($0, in: transaction) }
        #expect(
          try ListCount.current(feedKey: feedKey, in: transaction) == (feed == nil ? 10 : 9))
        let now = Date(timeIntervalSince1970: 7000)
        #expect(try ListCount.expired(feedKey: feedKey, at: now, in: transaction) == 2)
      }.filter { $0.sql.contains("offer") }
      #expect(plans.count == 2)
      #expect(plans.first?.uses("INDEX offer_by_found (feed_key=? AND found_at>?)") == true)
      #expect(plans.last?.uses("INDEX offer_by_expiry (expires_at<?)") == true)
      for plan in plans { #expect(!plan.uses("SCAN offer"), "\(plan)") }
    }
  }

  @Test("the images to fetch ahead are chosen from the favorites and the newest offers")
  func wantedImages() async throws {
    let plans = try await QueryPlanTests.plans(try await Self.filled()) { database in
      let keys = try PrefetchQuery.offerKeys(in: SQLiteTransaction(database))
      #expect(keys.isEmpty)
    }
    let starred = plans.first { $0.sql.contains("AS starred") }
    #expect(starred?.uses("SEARCH offer USING INDEX") == true, "\(starred as Any)")
    let newest = plans.first { $0.sql.contains("DESC LIMIT") }
    #expect(newest?.steps == ["SCAN offer"] + Self.star, "\(newest as Any)")
  }

  @Test("finding an offer reads no more than that offer")
  func findsByIndex() async throws {
    let store = try await Self.filled()
    let plans = try await QueryPlanTests.plans(store) { database in
      let transaction = SQLiteTransaction(database)
      let ref = OfferRef(feed: "shop", offerID: "1")
      let offer = try OfferTable.find(ref, of: User.ownerID, in: transaction)
      #expect(offer?.offer.ref == ref)
      let named = try OfferTable.fetch(named: "3", of: User.ownerID, in: transaction)
      #expect(named.offer.ref.offerID == "3")
    }
    #expect(plans.count == 2)
    for plan in plans {
      #expect(
        plan.uses("SEARCH offer USING INDEX sqlite_autoindex_offer_1 (feed_key=? AND id=?)"),
        "\(plan)")
      #expect(!plan.uses("SCAN offer"), "\(plan)")
    }
  }
}
