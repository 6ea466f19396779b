import Foundation

/// The feeds of a store, with the sources that users named.
package protocol FeedSourceRepository: FeedRepository {
  /// Forgets the named source of a feed, so that its definition's source applies again. Does nothing
  /// for an unknown feed.
  ///
  /// - Parameter commit: the last step before the commit: what must happen together with it. If it throws,
  ///   nothing is changed. It may be called several times.
  func forgetSource(
    of feed: String, committing commit: @escaping @Sendable () throws -> Void) async throws

  /// Unsubscribes from a feed, as `unsubscribe(from:)`, and forgets its named source in the same transaction.
  ///
  /// - Parameters:
  ///   - forgettingSource: whether to forget the source.
  ///   - commit: as that of `forgetSource`.
  /// - Returns: false when the feed was not subscribed.
  func unsubscribe(
    from feed: String, forgettingSource: Bool,
    committing commit: @escaping @Sendable () throws -> Void
  ) async throws -> Bool

  /// Removes the offers of a feed that is not subscribed, with their changes, except those that
  /// anybody starred, which become gone. The next sync reads the whole document again. Does nothing
  /// for an unknown feed or for a subscribed one.
  ///
  /// No sync of the feed may run meanwhile (`SyncStore.withSyncLock`).
  ///
  /// - Parameters:
  ///   - feed: the name of the feed.
  ///   - now: the time from which on the favorites are gone.
  func removeOffers(of feed: String, at now: Date) async throws
}
