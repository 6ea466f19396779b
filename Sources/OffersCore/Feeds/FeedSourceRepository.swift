import Foundation

/// The feeds of a store, with their definitions and the sources that users named.
package protocol FeedSourceRepository: FeedRepository {
  /// The definitions and settings that the store keeps, in the order in which it got their feeds.
  func fetchDefinitions() async throws -> [StoredDefinition]

  /// Changes the definition and the settings of a feed in one transaction. A feed that the store does not have
  /// yet is stored without a subscription.
  ///
  /// - Parameters:
  ///   - feed: the name of the feed.
  ///   - source: the source to record for a new feed.
  ///   - forgettingSource: whether to forget the named source, which may be that of an earlier feed with the
  ///     same name.
  ///   - change: receives what is stored. If it throws, nothing is changed. It may be called several times.
  /// - Returns: whether anything was changed.
  @discardableResult
  func changeDefinition(
    of feed: String, source: String, forgettingSource: Bool,
    _ change: @escaping @Sendable (inout StoredDefinition) throws -> Void
  ) async throws -> Bool

  /// Unsubscribes from a feed, as `unsubscribe(from:)`, and in the same transaction forgets its named source
  /// and removes its definition.
  ///
  /// - Parameters:
  ///   - forgettingSource: whether to forget the source.
  ///   - keepingSettings: whether to keep the interval and the currency, as those of a shipped feed.
  /// - Returns: whether the feed was subscribed, and whether it had a definition.
  func removeDefinition(
    of feed: String, forgettingSource: Bool, keepingSettings: Bool
  ) async throws -> (wasSubscribed: Bool, wasDefined: Bool)

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
