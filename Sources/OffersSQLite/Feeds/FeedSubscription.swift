import GRDB
import OffersCore

/// When a feed becomes subscribed, and when it stops to be.
///
/// Syncing a feed successfully or adding it subscribes to it. A new database of the command line
/// proposes one feed, so that a first sync has something to read; the proposal ends when the user
/// begins with another feed.
enum FeedSubscription {
  /// The key of a feed, which is inserted if it is unknown.
  ///
  /// - Parameters:
  ///   - name: the name of the feed.
  ///   - source: the source to record if the feed is unknown.
  ///   - subscribes: whether to subscribe to the feed. A feed that never worked is stored without a
  ///     subscription, because the fetch state of its server must be remembered.
  ///   - seconds: the start of the sync.
  ///   - database: the database to read, and to write to.
  /// - Returns: also whether this call subscribed to the feed.
  static func fetchKey(
    _ name: String, source: String, subscribes: Bool, at seconds: Int64, in database: Database
  ) throws -> (key: Int64, didSubscribe: Bool) {
    if let key = try FeedTable.findKey(name, in: database) {
      return (key, try subscribes && resubscribe(to: name, feedKey: key, at: seconds, in: database))
    }
    try StoredText.check(source)
    try database.execute(
      sql: "INSERT INTO feed (name, source, subscribed_at) VALUES (?, ?, ?)",
      arguments: [name, source, seconds])
    let key = database.lastInsertedRowID
    try database.execute(
      sql: "INSERT INTO feed_detail (feed_key, unsubscribed_at) VALUES (?, ?)",
      arguments: [key, subscribes ? nil : seconds])
    if subscribes, name != Feed.initialName { try endProposal(in: database) }
    return (key, subscribes)
  }

  /// Subscribes again to an unsubscribed feed, unless the sync began before the unsubscription.
  ///
  /// - Returns: whether this call subscribed to the feed.
  private static func resubscribe(
    to name: String, feedKey: Int64, at seconds: Int64, in database: Database
  ) throws -> Bool {
    try database.cachedStatement(
      sql: """
        UPDATE feed_detail SET unsubscribed_at = NULL
        WHERE feed_key = ? AND unsubscribed_at <= ?
        """
    ).execute(arguments: [feedKey, seconds])
    guard database.changesCount > 0 else { return false }
    if name != Feed.initialName { try endProposal(in: database) }
    return true
  }

  /// Unsubscribes from the proposed feed if nobody synced it or named a source for it: a user who
  /// begins with another feed did not ask for its sample.
  private static func endProposal(in database: Database) throws {
    try database.cachedStatement(
      sql: """
        UPDATE feed_detail SET unsubscribed_at = feed.subscribed_at FROM feed
        WHERE feed.feed_key = feed_detail.feed_key AND feed.name = '\(Feed.initialName)'
          AND unsubscribed_at IS NULL AND chosen_source IS NULL AND current_count = 0
          AND NOT EXISTS (SELECT 1 FROM sync_run WHERE sync_run.feed_key = feed.feed_key)
        """
    ).execute()
  }

  /// Subscribes to a feed. For the proposed feed, `source` is stored as its named source with the
  /// origin `remote`, unless it has a named source, so that the proposal does not end later.
  ///
  /// - Returns: whether it was not subscribed before.
  static func subscribe(
    to name: String, source: String, at seconds: Int64, in database: Database
  ) throws -> Bool {
    let (key, didSubscribe) = try fetchKey(
      name, source: source, subscribes: true, at: seconds, in: database)
    if name == Feed.initialName {
      try database.execute(
        sql: """
          UPDATE feed_detail SET chosen_source = ?, source_origin = ?
          WHERE feed_key = ? AND chosen_source IS NULL
          """, arguments: [source, SourceOrigin.remote.rawValue, key])
    }
    return didSubscribe
  }

  /// Unsubscribes from a feed. Its offers and its source stay. Returns false if it was not
  /// subscribed.
  static func unsubscribe(_ name: String, at seconds: Int64, in database: Database) throws -> Bool {
    try database.execute(
      sql: """
        UPDATE feed_detail SET unsubscribed_at = ?1
        WHERE feed_key = (SELECT feed_key FROM feed WHERE name = ?2)
          AND unsubscribed_at IS NULL
        """,
      arguments: [seconds, name.lookedUp])
    guard database.changesCount > 0 else { return false }
    // The validators become invalid if the feed's offers change while it is unsubscribed, for
    // example by a search on its server.
    try database.execute(
      sql: "DELETE FROM feed_fetch WHERE feed_key = (SELECT feed_key FROM feed WHERE name = ?)",
      arguments: [name.lookedUp])
    try MissingOfferTable.clear(of: name, in: database)
    return true
  }
}
