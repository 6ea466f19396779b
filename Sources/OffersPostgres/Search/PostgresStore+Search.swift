import Foundation
import OffersCore

extension PostgresStore: SearchPreparation {
  package func search(_ query: SearchQuery) async throws -> SearchResults {
    try query.check()
    return try await database.read { [user] session in
      try FeedTable.check(query.feed, in: session)
      return try SearchTable(query, of: user, in: session).results(of: query)
    }
  }

  package func fetchRecentSearches() async throws -> [RecentSearch] {
    try await database.readOnce { [user] in try RecentSearchTable.list(of: user, in: $0) }
  }

  package func noteSearch(_ search: RecentSearch) async throws {
    let words = SearchWords.spaced(search.words)
    try await database.write(isNote: true) { [user] session in
      try UserTable.check(user, isExclusive: true, in: session)
      if words.isEmpty { return }
      try RecentSearchTable.put(
        words, feed: search.feed, of: user, at: search.searchedAt, in: session)
    }
  }

  @discardableResult
  package func removeSearch(_ id: RecentSearch.ID) async throws -> Bool {
    try await database.write { [user] session in
      try UserTable.check(user, isExclusive: true, in: session)
      return try RecentSearchTable.remove(id, of: user, in: session)
    }
  }
}
