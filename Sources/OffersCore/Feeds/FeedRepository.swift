/// Reads feeds and manages subscriptions. A call that is cancelled throws `CancellationError`, and
/// nothing is written.
public protocol FeedRepository: Sendable {
  /// The subscribed feeds, sorted by name.
  func fetchFeeds() async throws -> [Feed]

  /// The feeds that were unsubscribed or never synced successfully, sorted by name.
  func fetchFormerFeeds() async throws -> [FormerFeed]

  /// How the offers of each stored feed are shown, by the definition of its last sync. Feeds that were
  /// not synced since the store keeps it are left out. The user's own definition at hand
  /// (`KnownFeed.presentation`) may be newer.
  func fetchPresentations() async throws -> [String: FeedPresentation]

  /// The source from which a feed was last read, or which was recorded with its subscription; nil
  /// for an unknown feed. Unsubscribed feeds have one, too.
  func findSource(of feed: String) async throws -> String?

  /// Subscribes to a feed, so that it is included when all feeds are synced. `source` is recorded
  /// if the feed is unknown.
  ///
  /// - Returns: false when the feed was already subscribed.
  func subscribe(to feed: String, source: String) async throws -> Bool

  /// Unsubscribes from a feed, so that it is no longer synced with the others. Its offers and
  /// favorites stay. Syncing it by name subscribes again, with the remembered source.
  ///
  /// - Returns: false when the feed was not subscribed.
  func unsubscribe(from feed: String) async throws -> Bool
}

extension FeedRepository {
  /// How the offers of each feed are shown.
  ///
  /// - Parameter known: the feeds with a definition.
  package func fetchPresentations(_ known: [KnownFeed]) async throws -> FeedPresentations {
    FeedPresentations(known, stored: try await fetchPresentations())
  }
}
