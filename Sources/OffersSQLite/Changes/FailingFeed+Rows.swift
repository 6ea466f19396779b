import Foundation
import GRDB
import OffersCore

extension FailingFeed {
  /// The subscribed feeds whose first consecutive failure was at a time or earlier, and those whose
  /// server answered 410 Gone, sorted by name.
  ///
  /// - Parameters:
  ///   - seconds: the time, in Unix seconds.
  ///   - now: the present time. A first failure after it was recorded by a clock that was ahead, and
  ///     counts as early enough.
  ///   - database: the database to read.
  static func fetch(
    since seconds: Int64, now: Int64, in database: Database
  ) throws -> [FailingFeed] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT feed.name, feed_fetch.failing_since, feed_fetch.failure_count, feed_fetch.stopped_at,
          (SELECT run.error_message FROM sync_run AS run
            WHERE run.feed_key = feed.feed_key ORDER BY run.run_id DESC LIMIT 1) AS error_message
        FROM feed
        JOIN feed_fetch USING (feed_key)
        WHERE feed.unsubscribed_at IS NULL AND (
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
}
