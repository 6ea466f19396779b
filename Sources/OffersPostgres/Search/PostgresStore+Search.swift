import Foundation
import OffersCore
import OffersStore

extension PostgresStore: SearchPreparation {
  package func search(_ query: SearchQuery) async throws -> SearchResults {
    try query.check()
    return try await database.read { [user] connection in
      try FeedTable.check(query.feed, in: PostgresTransaction(connection))
      return try SearchTable(query, of: user, in: connection).results(of: query)
    }
  }
}
