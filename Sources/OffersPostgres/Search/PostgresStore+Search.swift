import Foundation
import OffersCore
import OffersStore

extension PostgresStore: SearchPreparation {
  package func search(_ query: SearchQuery) async throws -> SearchResults {
    try query.check()
    return try await database.read { [user] session in
      try FeedTable.check(query.feed, in: PostgresTransaction(session))
      return try SearchTable(query, of: user, in: session).results(of: query)
    }
  }
}
