import Foundation
import OffersCore

/// The SQL for the notices about expiring favorites and failing feeds that were delivered, so that
/// each is delivered once. No row of `change` records them.
enum NoticeTable {
  /// A notice that was delivered, or is to be.
  struct Notice: Hashable {
    /// `expiring`, for a favorite that expires soon, or `failing`, for a feed that keeps failing.
    let kind: String
    let feed: String
    /// The offer's id, or empty for the feed itself.
    var id = ""
    /// The expiry date in Unix seconds, or `FailingFeed.noticeSubject(at:)`.
    let about: Int64

    /// The notice of a change; nil if it is a recorded one.
    init?(_ change: OfferChange) {
      guard change.kind == .expiring, let offer = change.offer, let end = offer.expiresAt else {
        return nil
      }
      kind = "expiring"
      feed = offer.ref.feed
      id = offer.ref.offerID
      about = end.storedSeconds
    }

    init(_ feed: FailingFeed, at seconds: Int64) {
      kind = "failing"
      self.feed = feed.name
      about = feed.noticeSubject(at: seconds)
    }

    fileprivate init(_ row: Row) {
      kind = row.text(0)
      feed = row.text(1)
      id = row.text(2)
      about = row.number(3)
    }
  }

  private static func arrays(_ notices: [Notice]) -> [Parameter] {
    [
      .texts(notices.map(\.kind)), .texts(notices.map(\.feed)), .texts(notices.map(\.id)),
      .numbers(notices.map(\.about)),
    ]
  }

  /// The notices, among the given ones, that were delivered to a user.
  static func told(
    _ notices: [Notice], of user: User.ID, in session: DatabaseSession
  ) throws -> Set<Notice> {
    if notices.isEmpty { return [] }
    return Set(
      try session.rows(
        """
        SELECT kind, feed, id, about FROM notice
        JOIN unnest($1, $2, $3, $4) AS wanted (kind, feed, id, about) USING (kind, feed, id, about)
        WHERE notice.user_key = $5
        """, arrays(notices) + [.number(user)]
      ).map(Notice.init))
  }

  static func insert(
    _ notices: [Notice], of user: User.ID, at seconds: Int64, in session: DatabaseSession
  ) throws {
    if notices.isEmpty { return }
    try session.run(
      """
      INSERT INTO notice (user_key, kind, feed, id, about, told_at)
      SELECT $5, new.kind, new.feed, new.id, new.about, $6
      FROM unnest($1, $2, $3, $4) AS new (kind, feed, id, about)
      ON CONFLICT DO NOTHING
      """, arrays(notices) + [.number(user), .number(seconds)])
  }

  /// The subscribed feeds whose first consecutive failure was at a time or earlier, and those whose
  /// server answered 410 Gone, sorted by name.
  ///
  /// - Parameters:
  ///   - seconds: the time, in Unix seconds.
  ///   - now: the present time. A first failure after it was recorded by a clock that was ahead, and
  ///     counts as early enough.
  ///   - session: the connection.
  static func failingFeeds(
    since seconds: Int64, now: Int64, in session: DatabaseSession
  ) throws -> [FailingFeed] {
    // A feed that is stopped may never have failed; see `FetchState`.
    try session.rows(
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

  /// Whether `prune` would delete a notice.
  static func hasOld(
    toldBefore told: Int64, now: Int64, in session: DatabaseSession
  ) throws -> Bool {
    try session.rows(
      "SELECT 1 FROM notice WHERE told_at < $1 AND about < $2 LIMIT 1",
      [.number(told), .number(now)]
    ).count > 0
  }

  /// Deletes the notices that were delivered before a time, unless they are about an expiry date
  /// that is still to come.
  static func prune(toldBefore told: Int64, now: Int64, in session: DatabaseSession) throws {
    try session.run(
      "DELETE FROM notice WHERE told_at < $1 AND about < $2", [.number(told), .number(now)])
  }
}
