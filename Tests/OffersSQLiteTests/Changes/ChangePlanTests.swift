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
    try store.execute("UPDATE offer SET expires_at = 4000 WHERE id = '7'")
    return store
  }

  /// The steps of a plan that scan or sort, except for scans of what is small: favorites, feeds, runs, the
  /// offers that searches found, lists of parameters and the fields of a large change.
  private static func slowSteps(_ plan: QueryPlanTests.Plan) -> [String] {
    // The statements with this condition stop at the first row that has it.
    if plan.sql.contains("run_id + 0"), plan.sql.hasSuffix("LIMIT 1") { return [] }
    let small = [
      "favorite", "feed", "sync_run", "commit_order", "json_each", "pragma_page",
      "offer USING COVERING INDEX offer_by_found",
    ]
    return plan.steps.filter { step in
      step.contains("TEMP B-TREE")
        || step.hasPrefix("SCAN ") && !QueryPlanTests.Plan.isList(step)
          && !small.contains { step.hasPrefix("SCAN \($0)") }
    }
  }

  private static func selects(_ plan: QueryPlanTests.Plan, _ text: String) -> Bool {
    plan.sql.contains(text)
  }

  @Test(
    "recent changes are found in their order, and those of favorites by their index",
    arguments: [false, true], [nil, "ibotta"])
  func changes(favoritesOnly: Bool, feed: String?) async throws {
    let plans = try await QueryPlanTests.plans(try await Self.filled()) { database in
      var query = ChangeQuery(since: ChangeTests.date(2000), now: ChangeTests.date(3500))
      query.favoritesOnly = favoritesOnly
      query.feed = feed
      let transaction = SQLiteTransaction(database)
      let keys = try SelectedChanges(query, of: User.ownerID, in: transaction).keys()
      #expect(keys.count == (favoritesOnly ? 3 : 83))
      query.kinds = [.new, .up]
      query.limit = 2
      let selection = SelectedChanges(query, of: User.ownerID, in: transaction)
      _ = try selection.changes()
      _ = try selection.page()
    }
    for plan in plans {
      // Changes of favorites and expiring offers may be sorted, because there are few of them.
      let isSorted = Self.selects(plan, "offer.expires_at >") || favoritesOnly
      let slow = Self.slowSteps(plan).filter {
        !isSorted || $0 != "USE TEMP B-TREE FOR ORDER BY"
      }
      #expect(slow.isEmpty, "\(plan)")
    }
    let lists = plans.filter { $0.sql.hasPrefix("SELECT change.change_id, change.at") }
    #expect(!lists.isEmpty)
    for plan in lists {
      #expect(
        plan.uses(
          favoritesOnly
            ? "SEARCH change USING INDEX change_by_offer (offer_key=?"
            : "SEARCH change USING INTEGER PRIMARY KEY (rowid>?)"), "\(plan)")
    }
    let expiring = plans.filter { Self.selects($0, "offer.expires_at >") }
    #expect(!expiring.isEmpty)
    for plan in expiring where !favoritesOnly {
      #expect(plan.uses("USING INDEX offer_by_expiry (expires_at>? AND expires_at<?)"), "\(plan)")
    }
  }

  @Test("the newest changes of all are read backwards")
  func newest() async throws {
    let plans = try await QueryPlanTests.plans(try await Self.filled()) { database in
      let query = ChangeQuery(limit: 20, now: ChangeTests.date(3500))
      let changes = try SelectedChanges(
        query, of: User.ownerID, in: SQLiteTransaction(database)
      ).changes()
      #expect(changes.count == 20)
    }
    let list = try #require(plans.first { $0.sql.hasPrefix("SELECT change.change_id, change.at") })
    #expect(list.steps.first == "SCAN change" && !list.uses("TEMP B-TREE"), "\(list)")
  }

  @Test("news, a history and a mark are found without scanning other rows")
  func news() async throws {
    let plans = try await QueryPlanTests.plans(try await Self.filled()) { database in
      let transaction = SQLiteTransaction(database)
      let mark = ReaderMark(changeID: 3, readAt: ChangeTests.date(1000))
      var query = ChangeQuery(now: ChangeTests.date(3500))
      query.favoritesOnly = true
      query.afterID = mark.changeID
      let selection = SelectedChanges(query, of: User.ownerID, in: transaction)
      let news = try selection.news(since: ChangeTests.date(0))
      #expect(news.count == 4)
      #expect(try ChangeTable.history(of: 7, before: .max, in: transaction).count == 2)
      #expect(try ChangeTable.findRewardChange(of: 7, from: 0, in: transaction) == nil)
      try ReaderTable.advance("mail", of: User.ownerID, to: mark, in: transaction)
      #expect(try ReaderTable.find("mail", of: User.ownerID, in: transaction) == mark)
      let failing = FailingFeed(
        name: "ibotta", since: ChangeTests.date(1), failureCount: 3, message: "No.",
        triedAt: ChangeTests.date(2))
      let now = ChangeTests.date(4000)
      let notices = NoticeTable.notices(of: [], [failing])
      try NoticeTable.insert(notices, of: User.ownerID, at: now, in: transaction)
      #expect(
        try NoticeTable.told(notices, of: User.ownerID, in: transaction) == Set(notices))
      #expect(try FailingFeed.fetch(now: 4000, in: transaction) == [])
      #expect(try RecoveredFeed.fetch(toldTo: User.ownerID, in: transaction) == [])
    }
    // Vanished favorites are rare, so a scan of their feed for a successor is acceptable.
    for plan in plans where !Self.selects(plan, "substr(offer.name, 1, 64)") {
      let slow = Self.slowSteps(plan).filter { $0 != "USE TEMP B-TREE FOR ORDER BY" }
      #expect(slow.isEmpty, "\(plan)")
    }
    #expect(plans.contains { $0.uses("SEARCH change USING INDEX change_by_offer (offer_key=?") })
    let returned = try #require(plans.first { Self.selects($0, "offer.name IN") })
    #expect(returned.uses("SEARCH change USING INTEGER PRIMARY KEY (rowid>?)"), "\(returned)")
  }

  @Test("what is pruned is found by the indexes")
  func prune() async throws {
    let store = try await Self.filled()
    try await store.sync((1...40).map { FeedOffer("\($0)", name: "Tea 4") }, at: 4000)
    let plans = try await QueryPlanTests.plans(store) { database in
      let transaction = SQLiteTransaction(database)
      let time = 2500 + Retention.historySeconds
      let bounds = try PruneBounds(
        countingFrom: time, goneSeconds: time - 5000, limit: .standard,
        in: StoredHistory(transaction))
      #expect(bounds.through == 1 + 41 + 1)
      #expect(try PruneTable.hasDoomedOffer(bounds, in: transaction))
      #expect(try PruneTable.hasDoomedChange(bounds, in: transaction))
      #expect(try PruneTable.hasRemovable(through: 3, in: transaction))
      #expect(try !PruneTable.hasIdleRun(bounds.idleRuns, in: transaction))
      let trial = try PruneTable.countDoomed(bounds, in: transaction)
      let counts = try PruneTable.deleteOffers(bounds, limit: 100, in: transaction)
      #expect(counts.offers == 1 && counts.changes == 2)
      // The first sync has a favorite.
      let old = try PruneTable.deleteChanges(bounds, after: 0, limit: 100, in: transaction)
      #expect(old.count == 39 && old.lastID == nil)
      #expect(trial.offers == 1 && trial.changes == 41)
      #expect(try PruneTable.deleteRuns(bounds, in: transaction) == trial.runs)
    }
    #expect(plans.contains { $0.uses("USING COVERING INDEX offer_by_gone (gone_at<?)") })
    #expect(plans.contains { $0.uses("SCAN offer USING COVERING INDEX offer_by_found") })
    // The index of finds has 5,000 at most.
    let allowed = ["USE TEMP B-TREE FOR ORDER BY", "SCAN offer USING INDEX offer_by_found"]
    for plan in plans where !plan.sql.contains("count(*)") && !plan.sql.contains("sum(") {
      let slow = Self.slowSteps(plan).filter { !allowed.contains($0) }
      #expect(slow.isEmpty, "\(plan)")
    }
  }
}
