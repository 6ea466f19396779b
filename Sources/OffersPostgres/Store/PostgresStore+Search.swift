import Foundation
import OffersCore
import OffersStore

extension PostgresStore: PreparableSearch {
  package func search(_ query: SearchQuery) async throws -> SearchResults {
    try query.check()
    return try await database.read { [user] connection in
      let feedKey = try query.feed.map {
        try self.fetchReadKey(of: $0, in: PostgresTransaction(connection))
      }
      return try SearchIndexReader(query, of: user, feedKey: feedKey, in: connection).results(
        of: query)
    }
  }
}
