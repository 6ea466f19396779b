import Foundation
import OffersCore

extension FailingFeed {
  /// The subscribed feeds that were still failing a day after their first failure, when they were last
  /// tried, and those whose server answered 410 Gone, sorted by name.
  ///
  /// - Parameters:
  ///   - now: the present time, in Unix seconds. A first failure after it was recorded by a clock that was
  ///     ahead, and counts as early enough.
  ///   - transaction: the transaction that reads them.
  package static func fetch(
    now: Int64, in transaction: any Transaction
  ) throws -> [FailingFeed] {
    // A feed that is stopped may never have failed; see `FetchState`.
    try transaction.rows(
      """
      SELECT feed.name, feed_fetch.failing_since, feed_fetch.failure_count, run.error_message,
        run.started_at, feed_fetch.next_due_at, feed_fetch.stopped_at
      FROM feed JOIN feed_fetch ON feed_fetch.feed_key = feed.feed_key
      JOIN sync_run AS run ON run.run_id = (\(SyncRunTable.lastAttempt))
      WHERE feed.unsubscribed_at IS NULL AND (
          feed_fetch.failing_since <= run.started_at - $1 OR feed_fetch.failing_since > $2
          OR feed_fetch.stopped_at IS NOT NULL)
      ORDER BY feed.name
      """, [.number(Int64(News.failingSeconds)), .number(now)]
    ) { row in
      let stoppedAt = row.findDate(6)
      return FailingFeed(
        name: row.text(0), since: row.date(1), failureCount: row.count(2),
        message: row.findText(3), triedAt: row.date(4),
        nextDueAt: stoppedAt == nil ? row.findDate(5) : nil, stoppedAt: stoppedAt)
    }
  }
}

extension RecoveredFeed {
  /// The subscribed feeds that work, and of which a user was told that they fail, sorted by name.
  package static func fetch(
    toldTo user: User.ID, in transaction: any Transaction
  ) throws -> [RecoveredFeed] {
    try transaction.rows(
      """
      SELECT feed.name, run.started_at
      FROM feed JOIN feed_fetch ON feed_fetch.feed_key = feed.feed_key
      JOIN sync_run AS run ON run.run_id = (\(SyncRunTable.lastAttempt))
      WHERE feed.unsubscribed_at IS NULL AND feed_fetch.failing_since IS NULL
        AND feed_fetch.stopped_at IS NULL AND run.outcome <> 'failed'
        AND EXISTS (SELECT 1 FROM notice WHERE notice.user_key = $1
          AND notice.kind = '\(NoticeTable.failing)' AND notice.feed = feed.name
          AND notice.told_at >= run.started_at - $2)
      ORDER BY feed.name
      """, [.number(user), .count(News.recoverySeconds)]
    ) { RecoveredFeed(name: $0.text(0), at: $0.date(1)) }
  }
}
