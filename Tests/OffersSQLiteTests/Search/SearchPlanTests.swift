import Foundation
import GRDB
import OffersCore
import Testing

@testable import OffersSQLite
@testable import OffersStore

@Suite("Query plans of searches")
struct SearchPlanTests {
  @Test(
    "the index ranks, and offers are looked up by their keys until the page is full",
    arguments: [false, true])
  func search(favoritesOnly: Bool) async throws {
    let plans = try await QueryPlanTests.plans(try await SearchTests.filled()) { database in
      let query = SearchQuery("coffee", feed: "shop", favoritesOnly: favoritesOnly)
      let conditions = try OfferConditions(
        query.selection, for: .search, at: Date(), of: User.ownerID,
        feeds: NamedFeeds(wanted: [1]), pricedFeeds: [], in: SQLiteTransaction(database))
      let table = try SQLiteIndexReader(query, conditions.ofSearch, of: User.ownerID, in: database)
      let search = try SearchWords("coffee")
      var count = 0
      try table.forEachOffer(with: search, limit: 5, offset: 0) { _ in count += 1 }
      let finds = try table.finds(search)
      #expect(finds != favoritesOnly && (count == 0) == favoritesOnly)
    }
    let searches = plans.filter { $0.sql.contains("FROM offer_search CROSS") }
    #expect(searches.count == 2)
    for plan in searches {
      // M stands for MATCH, r for the rank; only matching rows are scanned. > and < are the bounds of the
      // rowids.
      #expect(
        plan.steps.first?.contains(/SCAN offer_search VIRTUAL TABLE INDEX \d+:r?M\d+r?><$/) == true,
        "\(plan)")
      #expect(plan.uses("SEARCH offer USING INTEGER PRIMARY KEY (rowid=?)"), "\(plan)")
      // FTS5 itself sorts by rank. The favorites are few, and expired ones come last.
      let sorts = favoritesOnly && plan.sql.contains("ORDER BY")
      #expect(plan.uses("TEMP B-TREE FOR ORDER BY") == sorts, "\(plan)")
      if favoritesOnly {
        #expect(plan.uses("SEARCH offer USING COVERING INDEX \(Self.id)"), "\(plan)")
      }
    }
    let bounds = try #require(plans.first { $0.sql.contains("max(offer_key)") })
    #expect(bounds.uses("SEARCH offer USING COVERING INDEX \(Self.id) (feed_key=?"), "\(bounds)")
  }

  /// The index on feeds and ids.
  private static let id = "sqlite_autoindex_offer_1"

  @Test("recent searches are read and written by key")
  func recent() async throws {
    let plans = try await QueryPlanTests.plans(try await Store()) { database in
      let transaction = SQLiteTransaction(database)
      try RecentSearchTable.put(
        "coffee", feed: nil, of: User.ownerID, at: Date(timeIntervalSince1970: 1),
        in: transaction)
      let isLatest = try RecentSearchTable.isLatest(
        "coffee", feed: nil, of: User.ownerID, in: transaction)
      let list = try RecentSearchTable.list(of: User.ownerID, in: transaction)
      #expect(isLatest && list.count == 1)
    }
    for plan in plans {
      #expect(plan.uses("SEARCH recent_search USING PRIMARY KEY (user_key=?"), "\(plan)")
    }
  }

  @Test("an offer's texts are read by its key, those of new offers by a range of keys")
  func texts() async throws {
    let plans = try await QueryPlanTests.plans(try await SearchTests.filled()) { database in
      let index = try SearchIndexWriter(database)
      try index.willChange(2)
      try index.finish(newAfter: 3)
      _ = try SearchIndex.isCurrent(in: database)
    }
    let texts = plans.filter { $0.sql.contains("FROM search_text") }
    #expect(texts.count == 3)
    for plan in texts {
      #expect(plan.uses("SEARCH offer USING INTEGER PRIMARY KEY (rowid"), "\(plan)")
      #expect(!plan.uses("TEMP B-TREE"), "\(plan)")
    }
  }
}
