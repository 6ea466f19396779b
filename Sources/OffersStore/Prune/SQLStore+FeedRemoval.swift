import Foundation
import OffersCore

/// The removal of the offers of a feed that is not subscribed: all become gone, those that nobody
/// starred are removed, and so is the history that concerns no favorite.
extension OffersDatabase {
  /// Removes the offers of a feed that is not subscribed, with their changes, except those that
  /// anybody starred, which become gone. The next sync reads the whole document again. Does nothing
  /// for an unknown feed or for a subscribed one.
  ///
  /// No sync of the feed may run meanwhile (`withSyncLock`).
  ///
  /// - Parameters:
  ///   - feed: the name of the feed.
  ///   - now: the time from which on the favorites are gone.
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
    if isThere { try await engine.compactAfterRemoval() }
  }
}
