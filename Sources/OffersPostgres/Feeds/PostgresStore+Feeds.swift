import Foundation
import OffersCore
import OffersStore

/// Extensions of `SQLStore` in OffersStore have the other methods of these protocols.
extension PostgresStore: FeedRepository, FeedSourceRepository {
  package func removeOffers(of feed: String, at now: Date) async throws {
    var isComplete = false
    while !isComplete {
      isComplete = try await database.write(kind: .ordered) { connection in
        _ = try CommitOrder(locking: PostgresTransaction(connection))
        guard
          let feedKey = try FeedTable.findFormerKey(
            feed, in: PostgresTransaction(connection))
        else { return true }
        try FeedTable.endOffers(feedKey: feedKey, at: now, in: PostgresTransaction(connection))
        let removed = try PruneTable.deleteOffers(
          ofFeed: feedKey, limit: Self.batchCount, in: connection)
        if removed == Self.batchCount { return false }
        try PruneTable.deleteChanges(ofFeed: feedKey, in: connection)
        return true
      }
    }
    try await removeUnusedWords()
  }
}
