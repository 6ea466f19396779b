import Foundation
import OffersCore

extension FailingFeed {
  /// The subscribed feeds whose first consecutive failure was at a time or earlier, and those whose
  /// server answered 410 Gone, sorted by name.
  ///
  /// - Parameters:
  ///   - seconds: the time, in Unix seconds.
  ///   - now: the present time. A first failure after it was recorded by a clock that was ahead, and
  ///     counts as early enough.
  ///   - connection: runs the statements.
  static func fetch(
    since seconds: Int64, now: Int64, in connection: Connection
  ) throws -> [FailingFeed] {
    // A feed that is stopped may never have failed; see `FetchState`.
    try connection.rows(
      """
      SELECT feed.name, feed_fetch.failing_since, feed_fetch.failure_count, (
          SELECT run.error_message FROM sync_run AS run
          WHERE run.feed_key = feed.feed_key ORDER BY run.run_id DESC LIMIT 1),
        feed_fetch.stopped_at
      FROM feed JOIN feed_fetch ON feed_fetch.feed_key = feed.feed_key
      WHERE feed.unsubscribed_at IS NULL AND (
          feed_fetch.failing_since <= $1 OR feed_fetch.failing_since > $2
          OR feed_fetch.stopped_at IS NOT NULL)
      ORDER BY feed.name
      """, [.number(seconds), .number(now)]
    ).map { row in
      FailingFeed(
        name: row.text(0), since: row.date(1), failureCount: row.count(2),
        message: row.findText(3), stoppedAt: row.findDate(4))
    }
  }
}
