import Foundation
import OffersCore

/// The SQL for the notices about expiring favorites and failing feeds that were delivered, so that
/// each is delivered once. No row of `change` records them.
package enum NoticeTable {
  /// The kind of the notices about failing feeds.
  static let failing = "failing"

  /// A notice that was delivered, or is to be.
  struct Notice: Hashable, Sendable {
    /// `expiring`, for a favorite that expires soon, or `failing`, for a feed that keeps failing.
    let kind: String
    let feed: String
    /// The offer's id, or empty for the feed itself.
    var id = ""
    /// The expiry date in Unix seconds, or `FailingFeed.noticeSubject`.
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

    init(_ feed: FailingFeed) {
      kind = NoticeTable.failing
      self.feed = feed.name
      about = feed.noticeSubject
    }

    fileprivate init(_ row: any SQLRow) {
      kind = row.text(0)
      feed = row.text(1)
      id = row.text(2)
      about = row.number(3)
    }
  }

  static func notices(
    of changes: [OfferChange], _ failing: [FailingFeed]
  ) -> [Notice] {
    changes.compactMap(Notice.init) + failing.map { Notice($0) }
  }

  private static func table(
    _ notices: [Notice], as name: String, first: Int, in transaction: any Transaction
  ) -> (sql: String, values: [SQLValue]) {
    transaction.dialect.table(
      [
        "kind": .texts(notices.map(\.kind)), "feed": .texts(notices.map(\.feed)),
        "id": .texts(notices.map(\.id)), "about": .numbers(notices.map(\.about)),
      ], as: name, first: first)
  }

  /// The notices, among the given ones, that were delivered to a user.
  static func told(
    _ notices: [Notice], of user: User.ID, in transaction: any Transaction
  ) throws -> Set<Notice> {
    if notices.isEmpty { return [] }
    let wanted = table(notices, as: "wanted", first: 2, in: transaction)
    return Set(
      try transaction.rows(
        """
        SELECT kind, feed, id, about FROM \(wanted.sql)
        WHERE EXISTS (SELECT 1 FROM notice
          WHERE notice.user_key = $1 AND notice.kind = wanted.kind
            AND notice.feed = wanted.feed AND notice.id = wanted.id
            AND notice.about = wanted.about)
        """, [.number(user)] + wanted.values, Notice.init))
  }

  static func insert(
    _ notices: [Notice], of user: User.ID, at now: Date, in transaction: any Transaction
  ) throws {
    if notices.isEmpty { return }
    let new = table(notices, as: "new", first: 3, in: transaction)
    // Without the condition, SQLite takes ON for that of a join.
    try transaction.run(
      """
      INSERT INTO notice (user_key, kind, feed, id, about, told_at)
      SELECT $1, new.kind, new.feed, new.id, new.about, $2 FROM \(new.sql) WHERE true
      ON CONFLICT DO NOTHING
      """, [.number(user), .date(now)] + new.values)
  }

  /// Deletes the notices to a user that feeds fail, after it was told that they work again.
  static func delete(
    failing feeds: [RecoveredFeed], of user: User.ID, in transaction: any Transaction
  ) throws {
    if feeds.isEmpty { return }
    try transaction.run(
      """
      DELETE FROM notice WHERE user_key = $1 AND kind = '\(failing)'
        AND \(transaction.dialect.isElement("feed", of: "$2"))
      """, [.number(user), .texts(feeds.map(\.name))])
  }

  /// Deletes the notices that were delivered before a time, unless they are about an expiry date
  /// that is still to come.
  package static func prune(
    toldBefore told: Int64, now: Int64, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "DELETE FROM notice WHERE told_at < $1 AND about < $2", [.number(told), .number(now)])
  }
}
