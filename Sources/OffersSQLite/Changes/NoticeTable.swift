import Foundation
import GRDB
import OffersCore

/// The SQL for the notices about expiring favorites and failing feeds that were delivered, so that
/// each is delivered once. No row of `change` records them.
enum NoticeTable {
  /// The kind of notice, as stored.
  enum Kind: String {
    /// A favorite expires soon; `about` is its expiry date in Unix seconds.
    case expiring
    /// A feed keeps failing; see `FailingFeed.noticeSubject(at:)`.
    case failing
  }

  static func insert(
    _ kind: Kind, _ feed: String, id: String = "", about: Int64, of user: User.ID,
    at seconds: Int64,
    in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO notice (user_key, kind, feed, id, about, told_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """,
      arguments: [user, kind.rawValue, feed, id, about, seconds])
  }

  static func isTold(
    _ kind: Kind, _ feed: String, id: String = "", about: Int64, of user: User.ID,
    in database: Database
  ) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        SELECT 1 FROM notice
        WHERE user_key = ? AND kind = ? AND feed = ? AND id = ? AND about = ?
        """)
    return try Row.fetchOne(statement, arguments: [user, kind.rawValue, feed, id, about]) != nil
  }

  /// The subscribed feeds whose first consecutive failure was at a time or earlier, and those whose
  /// server answered 410 Gone, sorted by name.
  ///
  /// - Parameters:
  ///   - seconds: the time, in Unix seconds.
  ///   - now: the present time. A first failure after it was recorded by a clock that was ahead, and
  ///     counts as early enough.
  ///   - database: the database to read.
  static func failingFeeds(
    since seconds: Int64, now: Int64, in database: Database
  ) throws -> [FailingFeed] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT feed.name, feed_fetch.failing_since, feed_fetch.failure_count, feed_fetch.stopped_at,
          (SELECT run.error_message FROM sync_run AS run
            WHERE run.feed_key = feed.feed_key ORDER BY run.run_id DESC LIMIT 1) AS error_message
        FROM feed
        JOIN feed_detail USING (feed_key)
        JOIN feed_fetch USING (feed_key)
        WHERE feed_detail.unsubscribed_at IS NULL AND (
            feed_fetch.failing_since <= ? OR feed_fetch.failing_since > ?
            OR feed_fetch.stopped_at IS NOT NULL)
        ORDER BY feed.name
        """, arguments: [seconds, now]
    ).map {
      FailingFeed(
        name: $0["name"], since: Date(storedSeconds: $0["failing_since"]),
        failureCount: $0["failure_count"], message: $0["error_message"],
        stoppedAt: ($0["stopped_at"] as Int64?).map(Date.init(storedSeconds:)))
    }
  }

  /// Deletes the notices that were delivered before a time, unless they are about an expiry date
  /// that is still to come.
  static func prune(toldBefore told: Int64, now: Int64, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM notice WHERE told_at < ? AND about < ?", arguments: [told, now])
  }
}
