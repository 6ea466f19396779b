import GRDB
import OffersCore

/// The SQL for imported feeds, and for each feed's stored number of current offers
/// (`feed.current_count`).
extension FeedTable {
  static func hasOffers(feedKey: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM offer WHERE feed_key = ?)",
      arguments: [feedKey]) ?? false
  }

  /// Inserts an imported feed without its named source, and returns its key.
  static func insert(_ feed: ExportedFeed, in database: Database) throws -> Int64 {
    try database.execute(
      sql: "INSERT INTO feed (name, source, subscribed_at) VALUES (?, ?, ?)",
      arguments: [feed.name, feed.source, feed.subscribedAt])
    let key = database.lastInsertedRowID
    try database.execute(
      sql: """
        INSERT INTO feed_detail (feed_key, title, shared, unsubscribed_at) VALUES (?, ?, ?, ?)
        """,
      arguments: [key, feed.title, OfferAttribute.json(feed.shared), feed.unsubscribedAt])
    return key
  }

  /// Overwrites a feed that this database has never read with an imported feed. The imported feed's
  /// named source is not stored here but by `takeSource`.
  static func set(_ feed: ExportedFeed, feedKey: Int64, in database: Database) throws {
    try database.execute(
      sql: "UPDATE feed SET source = ?, subscribed_at = ? WHERE feed_key = ?",
      arguments: [feed.source, feed.subscribedAt, feedKey])
    try database.execute(
      sql: """
        UPDATE feed_detail SET title = ?, shared = ?, unsubscribed_at = ? WHERE feed_key = ?
        """,
      arguments: [
        feed.title, OfferAttribute.json(feed.shared), feed.unsubscribedAt, feedKey,
      ])
    if feed.chosenSource == nil { try forgetSource(of: feed.name, in: database) }
  }

  /// Merges an imported feed into a stored one, which keeps its subscription and its named source.
  ///
  /// - Parameter isNewer: whether the imported feed was synced later, so that its title and shared
  ///   attributes win.
  static func merge(
    _ feed: ExportedFeed, isNewer: Bool, feedKey: Int64, in database: Database
  ) throws {
    try database.execute(
      sql: """
        UPDATE feed SET source = iif(?1, ?2, source), subscribed_at = min(subscribed_at, ?3)
        WHERE feed_key = ?4
        """,
      arguments: [isNewer, feed.source, feed.subscribedAt, feedKey])
    try database.execute(
      sql: """
        UPDATE feed_detail SET title = iif(?1, ?2, title), shared = iif(?1, ?3, shared)
        WHERE feed_key = ?4
        """,
      arguments: [isNewer, feed.title, OfferAttribute.json(feed.shared), feedKey])
  }

  /// Stores the source that an import names for a feed, even if the feed is unsubscribed.
  static func takeSource(_ source: NamedSource, feedKey: Int64, in database: Database) throws {
    try database.execute(
      sql: "UPDATE feed_detail SET chosen_source = ?, source_origin = ? WHERE feed_key = ?",
      arguments: [source.text, source.origin?.rawValue, feedKey])
  }

  /// Forgets the document's fingerprint and validators, because the stored offers are no longer
  /// that document.
  static func forgetDocument(feedKey: Int64, in database: Database) throws {
    try setDocument(nil, addingCurrent: 0, feedKey: feedKey, in: database)
    try database.execute(
      sql: """
        UPDATE feed_fetch SET
          etag = NULL, last_modified = NULL, validated_mark = NULL, validated_rules = NULL
        WHERE feed_key = ?
        """, arguments: [feedKey])
  }

  /// A feed whose stored number of current offers is wrong.
  struct Miscount {
    let name: String
    let key: Int64
    let noted: Int
    let counted: Int
  }

  /// Counts the current offers of each feed, and returns the feeds whose stored number differs.
  static func findMiscounts(in database: Database) throws -> [Miscount] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT feed.name, feed.feed_key, current_count, coalesce(counted.number, 0) AS number
        FROM feed LEFT JOIN (
          SELECT feed_key, count(*) AS number FROM offer WHERE gone_at IS NULL GROUP BY +feed_key
        ) AS counted USING (feed_key)
        WHERE current_count <> coalesce(counted.number, 0) ORDER BY feed.name
        """
    ).map {
      Miscount(
        name: $0["name"], key: $0["feed_key"], noted: $0["current_count"], counted: $0["number"])
    }
  }

  /// Corrects the stored number of current offers of each feed, and returns the feeds whose number
  /// was wrong.
  static func recount(in database: Database) throws -> [Miscount] {
    let wrong = try findMiscounts(in: database)
    for feed in wrong {
      try database.execute(
        sql: "UPDATE feed SET current_count = ? WHERE feed_key = ?",
        arguments: [feed.counted, feed.key])
    }
    return wrong
  }
}
