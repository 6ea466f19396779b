import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite
@testable import OffersStore

@Suite("Query plans of changes")
struct ChangePlanTests {
  /// Three runs of forty offers, two of them favorites, of which one is gone.
  private static func filled() async throws -> Store {
    let store = try await Store()
    for seconds in 1...3 {
      try await store.sync(
        (1...(43 - seconds)).map { FeedOffer("\($0)", name: "Tea \(seconds)") }, at: seconds * 1000)
    }
    _ = try await store.database.setFavorites(named: ["7", "42"], to: true)
    try store.execute("INSERT INTO offer_detail (offer_key, expires_at) VALUES (7, 4000)")
    return store
  }

  /// Whether a statement scans a table that is not small, or sorts.
  private static func isSlow(_ plan: QueryPlanTests.Plan) -> Bool {
    plan.steps.contains { step in
      step.contains("TEMP B-TREE")
        || step.hasPrefix("SCAN ") && !QueryPlanTests.Plan.isList(step)
          && !["SCAN favorite", "SCAN feed", "SCAN lost"].contains { step.hasPrefix($0) }
    }
  }

  @Test(
    "recent changes and those of favorites are found without scanning the others",
    arguments: [false, true], [nil, "ibotta"])
  func changes(favoritesOnly: Bool, feed: String?) async throws {
    let plans = try await QueryPlanTests.plans(try await Self.filled()) { database in
      var query = ChangeQuery(since: ChangeTests.date(2000), now: ChangeTests.date(3500))
      query.favoritesOnly = favoritesOnly
      query.feed = feed
      let selection = try SelectedChanges(query, of: User.ownerID, in: database)
      #expect(selection.rows.count == (favoritesOnly ? 3 : 83))
      query.kinds = [.new, .up]
      _ = try SelectedChanges(query, of: User.ownerID, in: database).read(0..<2, in: database)
    }
    #expect(plans.count > 8)
    for plan in plans { #expect(!Self.isSlow(plan), "\(plan)") }
    let index = plans.filter { $0.uses("USING INDEX change_by_offer (offer_key=?") }
    #expect(index.isEmpty != favoritesOnly)
    #expect(
      plans.contains { $0.uses("offer_detail_by_expiry (expires_at>? AND expires_at<?)") }
        != favoritesOnly)
  }

  @Test("news, a history and a mark are found without scanning other rows")
  func news() async throws {
    let plans = try await QueryPlanTests.plans(try await Self.filled()) { database in
      let mark = ReaderMark(changeID: 3, readAt: ChangeTests.date(1000))
      let news = try SelectedChanges(
        newsAfter: mark, now: ChangeTests.date(3500), of: User.ownerID, in: database)
      #expect(news.rows.count == 5)
      _ = try news.read(in: database)
      var history = 0
      let rows = try ChangeTable.history(offerKey: 7, before: .max, in: database)
      while try rows.next() != nil { history += 1 }
      #expect(history == 2)
      let transaction = SQLiteTransaction(database)
      try ReaderTable.advance("mail", of: User.ownerID, to: mark, in: transaction)
      #expect(try ReaderTable.find("mail", of: User.ownerID, in: transaction) == mark)
      let failing = FailingFeed(
        name: "ibotta", since: ChangeTests.date(1), failureCount: 3, message: "No.")
      let now = ChangeTests.date(4000)
      let notices = NoticeTable.notices(of: [], [failing], now: now)
      try NoticeTable.insert(notices, of: User.ownerID, at: now, in: transaction)
      #expect(
        try NoticeTable.told(notices, of: User.ownerID, in: transaction) == Set(notices))
      #expect(try FailingFeed.fetch(since: 1, now: 4000, in: transaction) == [])
    }
    // Vanished favorites are rare, so a scan of their feed for a successor is acceptable.
    for plan in plans where !plan.sql.contains("AND +offer.name = ") {
      #expect(!Self.isSlow(plan), "\(plan)")
    }
  }

  @Test("the offers to prune are found by the index on gone_at")
  func prune() async throws {
    let store = try await Self.filled()
    try await store.sync((1...40).map { FeedOffer("\($0)", name: "Tea 4") }, at: 4000)
    let plans = try await QueryPlanTests.plans(store) { database in
      let time = 2500 + Retention.historySeconds
      let bounds = try PruneBounds(
        countingFrom: time, goneSeconds: time - 5000, limit: .standard, in: database)
      let doomed = try PruneTable.doomedOffers(bounds, in: database)
      #expect(doomed == [41])
      #expect(
        try PruneTable.delete(doomed, goneBefore: bounds.gone.seconds, in: database).changes == 2)
      #expect(bounds.through == 42 + 41 + 1)
      // The row of the first sync includes a favorite.
      let old = try PruneTable.doomedChanges(bounds, after: 0, limit: 100, in: database)
      #expect(old.count == 39)
      try PruneTable.delete(old, in: database)
    }
    #expect(plans.contains { $0.uses("USING INDEX offer_by_gone (gone_at<?)") })
    for plan in plans { #expect(!Self.isSlow(plan), "\(plan)") }
  }
}
