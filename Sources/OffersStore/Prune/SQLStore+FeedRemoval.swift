import Foundation
import OffersCore

/// The removal of the offers of a feed that is not subscribed: all become gone, those that nobody
/// starred are removed, and so is the history that concerns no favorite.
extension SQLStore {
  package func removeOffers(of feed: String, at now: Date) async throws {
    let isThere = try await transaction(.removal) { transaction in
      guard let feedKey = try FeedTable.findFormerKey(feed, in: transaction) else { return false }
      try FeedTable.endOffers(feedKey: feedKey, at: now, in: transaction)
      return true
    }
    var isComplete = !isThere
    while !isComplete {
      isComplete = try await transaction(.removal) { transaction in
        // Somebody may have subscribed to the feed again.
        guard let feedKey = try FeedTable.findFormerKey(feed, in: transaction) else { return true }
        let removed = try PruneTable.deleteOffers(
          ofFeed: feedKey, limit: PruneBatch.count, in: transaction)
        if removed == PruneBatch.count { return false }
        try PruneTable.deleteChanges(ofFeed: feedKey, in: transaction)
        return true
      }
      if !isComplete { try await PruneBatch.letOthersWrite() }
    }
    if isThere { try await compactAfterRemoval() }
  }
}
