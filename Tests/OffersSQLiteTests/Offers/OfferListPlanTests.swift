import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite
@testable import OffersStore

@Suite("Query plans of offer lists")
struct OfferListPlanTests {
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
    var query = OfferQuery(now: OfferQueryTests.now, limit: 20)
    change(&query)
    let chosen = query
    let store = try await OfferQueryTests.filled()
    let plans = try await QueryPlanTests.plans(store) { database in
      let keys = try OffersDatabase.keyQuery(chosen, of: User.ownerID, in: database).keys(
        in: database)
      #expect(!keys.isEmpty)
    }
    return plans.filter { $0.sql.contains("ORDER BY") }
  }

  /// The lookup of an offer's expiry.
  private static let details = "SEARCH detail USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN"
  private static let window = Date(timeIntervalSince1970: 1)...Date(timeIntervalSince1970: 9000)

  @Test("the order of feeds needs one scan without a sort, starting at the last page's end")
  func feedOrder() async throws {
    for isReversed in [false, true] {
      let first = try await Self.plan { $0.isReversed = isReversed }
      #expect(first.steps == ["SCAN offer", Self.details], "\(first)")
      let next = try await Self.plan {
        $0.after = OfferPosition(OfferRef(feed: "shop", offerID: "5"))
        $0.feed = "shop"
        $0.isReversed = isReversed
      }
      #expect(next.uses("SEARCH offer USING INTEGER PRIMARY KEY (rowid"), "\(next)")
      #expect(!next.uses("TEMP B-TREE"), "\(next)")
    }
  }

  @Test(
    "an order without an index scans the offers and sorts no more than the page",
    arguments: [OfferQuery.Sort.reward, .name, .newest])
  func onePass(sort: OfferQuery.Sort) async throws {
    let plan = try await Self.plan { $0.sort = sort }
    #expect(
      plan.steps == ["SCAN offer", Self.details, "USE TEMP B-TREE FOR ORDER BY"], "\(plan)")
    #expect(plan.sql.hasSuffix("LIMIT 20 OFFSET 0"))
  }

  @Test("the order of expiry uses its index without a sort")
  func expiryOrder() async throws {
    for isReversed in [false, true] {
      let plans = try await Self.plans {
        $0.sort = .expiry
        $0.isReversed = isReversed
      }
      let dated = "SEARCH detail USING COVERING INDEX offer_detail_by_expiry (expires_at>?)"
      #expect(
        plans.map(\.steps) == [
          [dated, "SEARCH offer USING INTEGER PRIMARY KEY (rowid=?)"],
          ["SCAN offer", Self.details],
        ], "\(plans)")
      let page = try await Self.plans {
        $0.sort = .expiry
        $0.isReversed = isReversed
        $0.limit = 2
      }
      #expect(page.map(\.steps) == [plans[0].steps], "\(page)")
    }
  }

  @Test("expiring offers are found by the index on expiry, without a sort")
  func expiring() async throws {
    let plan = try await Self.plan {
      $0.expiring = Self.window
      $0.sort = .expiry
    }
    #expect(
      plan.steps == [
        "SEARCH detail USING COVERING INDEX offer_detail_by_expiry (expires_at>? AND expires_at<?)",
        "SEARCH offer USING INTEGER PRIMARY KEY (rowid=?)",
      ], "\(plan)")
  }

  @Test("gone offers are found without reading current ones")
  func gone() async throws {
    let plan = try await Self.plan { $0.goneOnly = true }
    #expect(plan.uses("offer USING COVERING INDEX offer_by_gone (gone_at>?)"), "\(plan)")
    #expect(!plan.uses("SCAN"), "\(plan)")
  }

  @Test("a list of favorites reads no other offers")
  func favorites() async throws {
    let all = try await Self.plan { $0.favoritesOnly = true }
    #expect(all.uses("SEARCH favorite USING PRIMARY KEY (user_key=?)"), "\(all)")
    #expect(
      all.uses("SEARCH offer USING COVERING INDEX offer_by_id (feed_key=? AND id=?)"), "\(all)")
    let one = try await Self.plan {
      $0.favoritesOnly = true
      $0.feed = "shop"
      $0.sort = .reward
    }
    #expect(one.uses("SEARCH favorite USING PRIMARY KEY (user_key=? AND feed=?)"), "\(one)")
    #expect(one.uses("SEARCH offer USING INDEX offer_by_id (feed_key=? AND id=?)"), "\(one)")
  }

  @Test("retailers and categories are filtered by a scan of the details, in the order of feeds")
  func labels() async throws {
    let plan = try await Self.plan {
      $0.retailer = "mart"
      $0.category = "food"
    }
    #expect(plan.uses("SCAN detail"), "\(plan)")
    #expect(plan.uses("SEARCH offer USING INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
    #expect(!plan.uses("TEMP B-TREE"), "\(plan)")
  }

  @Test("the offers of a page are looked up by key in one statement")
  func readsPage() async throws {
    let plans = try await QueryPlanTests.plans(try await OfferQueryTests.filled()) { database in
      let offers = try OfferTable.list(keys: [5, 99, 3, 4], of: User.ownerID, in: database)
      #expect(offers.map(\.ref.description) == ["shop:3", "shop:1", "shop:2"])
    }
    #expect(plans.count == 1)
    for plan in plans {
      #expect(plan.uses("SEARCH offer USING INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
      #expect(!plan.uses("SCAN offer") && !plan.uses("SCAN feed"), "\(plan)")
    }
  }

  @Test("counting whole feeds reads no offers")
  func counts() async throws {
    let store = try await OfferQueryTests.filled()
    for feed in [nil, "shop"] {
      let plans = try await QueryPlanTests.plans(store) { database in
        let count = try FeedTable.countCurrent(of: feed, in: database)
        #expect(count == (feed == nil ? 10 : 9))
      }
      #expect(plans.allSatisfy { !$0.uses("offer") })
      let expired = try await QueryPlanTests.plans(store) { database in
        let now = Date(timeIntervalSince1970: 5000)
        let count = try FeedTable.countExpired(of: feed, at: now, in: database)
        #expect(count == 2)
      }
      #expect(
        expired.allSatisfy { $0.uses("INDEX offer_detail_by_expiry (expires_at<?)") })
    }
  }

  @Test("finding an offer reads no more than that offer")
  func findsByIndex() async throws {
    let store = try await OfferQueryTests.filled()
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
      #expect(plan.uses("SEARCH offer USING INDEX offer_by_id (feed_key=? AND id=?)"), "\(plan)")
      #expect(!plan.uses("SCAN offer"), "\(plan)")
    }
  }
}
