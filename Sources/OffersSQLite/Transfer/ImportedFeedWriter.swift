import GRDB
import OffersCore

/// Writes the feeds of an export.
struct ImportedFeedWriter {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Inserts an imported feed without its named source, and returns its key.
  func insert(_ feed: ExportedFeed) throws -> Int64 {
    try database.execute(
      sql: "INSERT INTO feed (name, source, subscribed_at) VALUES (?, ?, ?)",
      arguments: [feed.name, feed.source, feed.subscribedAt])
    let key = database.lastInsertedRowID
    try database.execute(
      sql: """
        INSERT INTO feed_detail (feed_key, title, shared, unsubscribed_at, presentation)
        VALUES (?, ?, ?, ?, ?)
        """,
      arguments: [
        key, feed.title, OfferAttribute.json(feed.shared), feed.unsubscribedAt,
        feed.presentation?.storedText,
      ])
    return key
  }

  /// Overwrites a feed that this database has never read with an imported feed. The imported feed's
  /// named source is stored later, by `setSource`.
  func replace(_ feed: ExportedFeed, feedKey: Int64) throws {
    try database.execute(
      sql: "UPDATE feed SET source = ?, subscribed_at = ? WHERE feed_key = ?",
      arguments: [feed.source, feed.subscribedAt, feedKey])
    try database.execute(
      sql: """
        UPDATE feed_detail SET title = ?, shared = ?, unsubscribed_at = ?,
          presentation = coalesce(?, presentation)
        WHERE feed_key = ?
        """,
      arguments: [
        feed.title, OfferAttribute.json(feed.shared), feed.unsubscribedAt,
        feed.presentation?.storedText, feedKey,
      ])
    if feed.chosenSource == nil { try FeedTable.forgetSource(of: feed.name, in: database) }
  }

  /// Merges an imported feed into a stored one, which keeps its subscription and its named source.
  ///
  /// - Parameters:
  ///   - feed: the imported feed.
  ///   - isNewer: whether the imported feed was synced later, so that its title, shared
  ///     attributes and presentation win. A presentation that one side lacks is that of the other.
  ///   - feedKey: the key of the stored feed.
  func merge(_ feed: ExportedFeed, isNewer: Bool, feedKey: Int64) throws {
    try database.execute(
      sql: """
        UPDATE feed SET source = iif(?1, ?2, source), subscribed_at = min(subscribed_at, ?3)
        WHERE feed_key = ?4
        """,
      arguments: [isNewer, feed.source, feed.subscribedAt, feedKey])
    try database.execute(
      sql: """
        UPDATE feed_detail SET title = iif(?1, ?2, title), shared = iif(?1, ?3, shared),
          presentation = iif(?1, coalesce(?4, presentation), coalesce(presentation, ?4))
        WHERE feed_key = ?5
        """,
      arguments: [
        isNewer, feed.title, OfferAttribute.json(feed.shared), feed.presentation?.storedText,
        feedKey,
      ])
  }

  /// Stores the source that an import names for a feed, even if the feed is unsubscribed.
  func setSource(_ source: NamedSource, feedKey: Int64) throws {
    try database.execute(
      sql: "UPDATE feed_detail SET chosen_source = ?, source_origin = ? WHERE feed_key = ?",
      arguments: [source.text, source.origin?.rawValue, feedKey])
  }

  /// Forgets the document's fingerprint and validators, because the stored offers are no longer
  /// that document.
  func forgetDocument(feedKey: Int64) throws {
    try FeedTable.setDocument(nil, addingCurrent: 0, feedKey: feedKey, in: database)
    try database.execute(
      sql: """
        UPDATE feed_fetch SET
          etag = NULL, last_modified = NULL, validated_mark = NULL, validated_rules = NULL
        WHERE feed_key = ?
        """, arguments: [feedKey])
  }
}
