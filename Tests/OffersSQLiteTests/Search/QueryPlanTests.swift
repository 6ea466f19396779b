import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite
@testable import OffersStore

@Suite("Query plans of statements")
struct QueryPlanTests {
  /// An executed statement and its query plan.
  struct Plan: Sendable, CustomStringConvertible {
    let sql: String
    let steps: [String]

    var description: String { "\(sql)\n\(steps.joined(separator: "\n"))" }
    /// Whether it scans a table, except for the few feeds, or sorts.
    var isSlow: Bool {
      steps.contains {
        $0.hasPrefix("SCAN ") && !$0.hasPrefix("SCAN feed") && !Self.isList($0)
          || $0.contains("TEMP B-TREE")
      }
    }

    /// Whether a step iterates over the elements of an offer's list or over rows to be written,
    /// which are not tables.
    static func isList(_ step: String) -> Bool {
      ["SCAN CONSTANT ROW", "SCAN pair", "SCAN piece"].contains(step) || step.hasPrefix("SCAN new_")
        || step.hasPrefix(sortedPieces)
    }

    /// A step that sorts the elements of one list in memory.
    private static let sortedPieces = "SCAN (subquery-"

    init(sql: String, steps: [String]) {
      self.sql = sql
      var steps = steps
      // The list in a parameter, read once: at the beginning, or for an IN.
      if let place = steps.firstIndex(where: { $0.hasPrefix("SCAN json_each") }),
        place == 0 || steps[place - 1].hasPrefix("LIST SUBQUERY")
      {
        steps.remove(at: place)
      }
      for list in ["SCAN pair", "SCAN piece"] {
        if let place = steps.lastIndex(of: list),
          steps.contains(where: { $0.hasPrefix(Self.sortedPieces) }),
          place + 1 < steps.count, steps[place + 1] == "USE TEMP B-TREE FOR ORDER BY"
        {
          steps.remove(at: place + 1)
        }
      }
      self.steps = steps
    }

    func uses(_ step: String) -> Bool { steps.contains { $0.contains(step) } }
  }

  /// Runs `body` and explains each of its statements.
  static func plans(
    _ store: Store, _ body: @escaping @Sendable (Database) throws -> Void
  ) async throws -> [Plan] {
    try await store.database.write { database in
      var statements: [String] = []
      database.trace { event in
        if case .statement(let statement) = event { statements.append(statement.expandedSQL) }
      }
      try body(database)
      database.trace(options: [])
      // FTS5 runs statements that begin with a comment within the program's own ones.
      return try statements.filter { !$0.hasPrefix("--") }.map { sql in
        let rows = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)")
        return Plan(sql: sql, steps: rows.map { $0["detail"] })
      }
    }
  }

  private static func filled() async throws -> Store {
    let store = try await Store()
    for seconds in 1...3 {
      try await store.sync((1...40).map { FeedOffer("\($0)", name: "Tea \(seconds)") }, at: seconds)
    }
    return store
  }

  @Test("the list of feeds reads no row of an offer and only the last run")
  func listsFeeds() async throws {
    let plans = try await Self.plans(try await Self.filled()) { database in
      let feeds = try FeedList.subscribed(
        of: User.ownerID, in: SQLiteTransaction(database))
      #expect(feeds.map(\.currentCount) == [40])
    }
    let list = try #require(plans.first)
    let finds = "SEARCH offer USING INDEX offer_by_found (feed_key=? AND found_at>?)"
    #expect(list.uses(finds), "\(list)")
    #expect(list.uses("SEARCH favorite USING PRIMARY KEY (user_key=? AND feed=?)"), "\(list)")
    #expect(list.uses("USING INDEX sync_run_by_feed (feed_key=?)"), "\(list)")
    for plan in plans { #expect(!plan.isSlow, "\(plan)") }
  }

  @Test("setting and removing a favorite touch one row")
  func marksOffers() async throws {
    let ref = OfferRef(feed: "ibotta", offerID: "7")
    let plans = try await Self.plans(try await Self.filled()) { database in
      let transaction = SQLiteTransaction(database)
      let now = Date(timeIntervalSince1970: 1)
      let new = try FavoriteTable.insert([ref], of: User.ownerID, at: now, in: transaction)
      let offer = try OfferTable.find([ref], of: User.ownerID, in: transaction)[ref]
      let old = try FavoriteTable.delete([ref], of: User.ownerID, in: transaction)
      #expect(new == [ref] && old == [ref] && offer?.isFavorite == true)
    }
    #expect(plans.count == 3)
    for plan in plans { #expect(!plan.isSlow, "\(plan)") }
    let deletion = plans.first { $0.sql.hasPrefix("DELETE") }
    #expect(
      deletion?.uses("INDEX favorite_by_offer (feed=? AND id=? AND user_key=?)") == true)
  }

  @Test("the household list reads the shared favorites only, by their index")
  func readsHousehold() async throws {
    let ref = OfferRef(feed: "ibotta", offerID: "7")
    let plans = try await Self.plans(try await Self.filled()) { database in
      let transaction = SQLiteTransaction(database)
      let now = Date(timeIntervalSince1970: 1)
      _ = try FavoriteTable.insert([ref], of: User.ownerID, at: now, in: transaction)
      let shared = try HouseholdTable.share([ref], of: User.ownerID, at: now, in: transaction)
      let offers = try HouseholdTable.offers(
        HouseholdQuery(limit: 5), of: User.ownerID, maximumBytes: 1000, in: transaction)
      let listed = try HouseholdTable.withSharers(offers, in: transaction)
      #expect(shared == [ref] && listed.map(\.sharers.count) == [1])
      #expect(try HouseholdTable.count(of: nil, in: transaction) == 1)
      #expect(try HouseholdTable.unshare([ref], in: transaction) == [ref])
    }
    let lists = plans.filter { $0.sql.contains("AS shared") }
    #expect(lists.count == 2)
    for plan in lists {
      #expect(plan.uses("favorite USING COVERING INDEX favorite_by_sharing"), "\(plan)")
      #expect(plan.uses("SEARCH offer USING"), "\(plan)")
    }
    // Those who share an offer are sorted: they are few.
    let sharers = try #require(plans.first { $0.sql.contains("JOIN account") })
    #expect(sharers.uses("INDEX favorite_by_sharing (feed=? AND id=?"), "\(sharers)")
    let others = plans.filter { !$0.sql.contains("AS shared") && !$0.sql.contains("JOIN account") }
    #expect(others.count == 3)
    for plan in others { #expect(!plan.isSlow, "\(plan)") }
    let unshare = plans.first { $0.sql.contains("SET shared_at = NULL") }
    #expect(unshare?.uses("INDEX favorite_by_") == true, "\(unshare as Any)")
  }

  @Test("a sync's write reads only the rows that it writes")
  func writesDifference() async throws {
    let store = try await Self.filled()
    var edited = FeedOffer("2", name: "Coffee")
    edited.seed = 1
    let fresh = FeedRecords([.init(offer: FeedOffer("99"), position: 1, key: 0)])
    let stored = FeedRecords([.init(offer: edited, position: 2, key: 2)])
    let run = SyncRun(
      feed: "ibotta", source: "sample", outcome: .updated, bytes: 1,
      startedAt: Date(timeIntervalSince1970: 9), durationSeconds: 0)
    let plan = SyncPlan(
      run: run, newRecords: fresh, knownRecords: stored, vanishedKeys: [1],
      rememberedSource: nil, document: nil)
    let plans = try await Self.plans(store) { database in
      let transaction = SQLiteTransaction(database)
      _ = try DifferenceWriter(plan, of: User.ownerID, isIndexed: true, in: transaction).apply()
    }
    let verbs = Set(plans.compactMap { $0.sql.split(separator: " ").first })
    #expect(verbs == ["SELECT", "INSERT", "UPDATE"])
    // The changes of a new run or feed would be looked for only if one without it were waiting (FkIfZero).
    let parents = ["INSERT INTO sync_run", "INSERT INTO feed "]
    for plan in plans where !parents.contains(where: plan.sql.hasPrefix) {
      #expect(!plan.isSlow, "\(plan)")
    }
  }
}
