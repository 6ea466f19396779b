import Foundation
import OffersCore

/// A notice that is about to be written.
struct UserNotice: Sendable {
  let user: User.ID
  var watchID: Int64? = nil
  /// The identity of the event among those of the user: it is told once, whatever process writes it.
  let subject: String
  let at: Date
  let feed: String
  var offerID = ""
  let name: String
  let reason: Notice.Reason
  var isUrgent = false
}

/// The SQL for the notices of users.
enum UserNoticeTable {
  /// The columns of a notice, of `user_notice`.
  static let columns = """
    user_notice.notice_key, user_notice.watch_key, user_notice.at, user_notice.feed, user_notice.id,
    user_notice.name, user_notice.reason, user_notice.is_urgent,
    (SELECT coalesce(watch.name, watch.selection) FROM watch
      WHERE watch.watch_key = user_notice.watch_key)
    """
  /// The number of the columns.
  static let count = 9

  /// The notice in a row of `columns`; nil for one of a newer program.
  static func notice(_ row: any SQLRow) -> Notice? {
    let json = Data(row.text(6).utf8)
    guard let reason = try? JSONDecoder().decode(Notice.Reason.self, from: json) else { return nil }
    let (feed, id) = (row.text(3), row.text(4))
    return Notice(
      id: row.number(0), watchID: row.findNumber(1), watchName: row.findText(8), at: row.date(2),
      feed: feed,
      offer: id.isEmpty ? nil : OfferRef(feed: feed, offerID: id), name: row.text(5),
      reason: reason, isUrgent: row.flag(7))
  }

  /// Writes notices, and a delivery of each over each channel of its user. One whose subject the user was told of
  /// before is left out.
  ///
  /// - Returns: the number of the notices that are new.
  @discardableResult
  static func insert(_ notices: [UserNotice], in transaction: any Transaction) throws -> Int {
    var count = 0
    let dialect = transaction.dialect
    for start in stride(from: 0, to: notices.count, by: 500) {
      let piece = notices[start..<min(start + 500, notices.count)]
      let new = dialect.table(
        [
          "user_key": .numbers(piece.map(\.user)), "watch_key": .numbers(piece.map(\.watchID)),
          "subject": .texts(piece.map(\.subject)), "at": .numbers(piece.map(\.at.storedSeconds)),
          "feed": .texts(piece.map(\.feed)), "id": .texts(piece.map(\.offerID)),
          "name": .texts(piece.map(\.name)),
          "reason": .texts(try piece.map { try json($0.reason) }),
          "is_urgent": .numbers(piece.map { $0.isUrgent ? 1 : 0 }),
        ], as: "new", first: 1)
      // A user or a watch may have been removed since they were read.
      let keys = try transaction.rows(
        """
        INSERT INTO user_notice (user_key, watch_key, subject, at, feed, id, name, reason, is_urgent)
        SELECT new.user_key, (SELECT watch.watch_key FROM watch
            WHERE watch.watch_key = new.watch_key \(dialect.forKeyShare)),
          new.subject, new.at, new.feed, new.id, new.name, new.reason, new.is_urgent = 1
        FROM \(new.sql)
        WHERE EXISTS (SELECT 1 FROM account
          WHERE account.user_key = new.user_key \(dialect.forKeyShare))
        ON CONFLICT (user_key, subject) DO NOTHING RETURNING notice_key
        """, new.values
      ) { $0.number(0) }
      count += keys.count
      if keys.isEmpty { continue }
      try transaction.run(
        """
        INSERT INTO delivery (channel_key, notice_key)
        SELECT channel.channel_key, user_notice.notice_key
        FROM user_notice JOIN channel ON channel.user_key = user_notice.user_key
        WHERE \(dialect.isElement("user_notice.notice_key", of: "$1"))
        \(dialect.forKeyShare(of: "channel"))
        """, [.numbers(keys)])
    }
    return count
  }

  private static func json(_ reason: Notice.Reason) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(reason), as: UTF8.self)
  }

  /// The notices of a user, the newest first.
  static func list(
    of user: User.ID, watch: Watch.ID?, after id: Int64?, limit: Int,
    in transaction: any Transaction
  ) throws -> [Notice] {
    try transaction.rows(
      """
      SELECT \(columns) FROM user_notice
      WHERE user_key = $1 AND ($2 IS NULL OR watch_key = $2) AND ($3 IS NULL OR notice_key > $3)
      ORDER BY notice_key DESC LIMIT $4
      """, [.number(user), .number(watch), .number(id), .count(limit)], notice
    ).compactMap(\.self)
  }

  /// The number of notices that `list` returns without a limit.
  static func count(
    of user: User.ID, watch: Watch.ID?, after id: Int64?, in transaction: any Transaction
  ) throws -> Int {
    try transaction.first(
      """
      SELECT count(*) FROM user_notice
      WHERE user_key = $1 AND ($2 IS NULL OR watch_key = $2) AND ($3 IS NULL OR notice_key > $3)
      """, [.number(user), .number(watch), .number(id)]
    ) { $0.count(0) } ?? 0
  }

  /// When each watch of a user last told something.
  static func lastTold(
    of user: User.ID, in transaction: any Transaction
  ) throws -> [Watch.ID: Date] {
    let rows = try transaction.rows(
      """
      SELECT watch_key, max(at) FROM user_notice
      WHERE user_key = $1 AND watch_key IS NOT NULL GROUP BY watch_key ORDER BY watch_key
      """, [.number(user)]
    ) { (watch: $0.number(0), at: $0.date(1)) }
    return Dictionary(rows) { first, _ in first }
  }

  /// Removes the notices that are older than they are kept, and with them their deliveries.
  static func prune(before time: Int64, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM user_notice WHERE at < $1", [.number(time)])
  }
}

/// The notices of favorites and feeds, which need no watch.
enum FavoriteNotices {
  /// The notices of the favorites that a run has changed, for all users.
  static func changed(
    by runID: Int64, at now: Date, in transaction: any Transaction
  ) throws -> [UserNotice] {
    var notices: [UserNotice] = []
    // The first parameter of the columns is a user; the users are those of the stars.
    try transaction.forEach(
      """
      SELECT \(OfferColumns.columns), change.change_id, change.kind,
        \(ChangedFields.columnWithTexts(transaction.dialect)), favorite.user_key
      FROM change JOIN offer ON offer.offer_key = change.offer_key
      JOIN feed ON feed.feed_key = offer.feed_key
      JOIN favorite ON favorite.feed = feed.name AND favorite.id = offer.id
      WHERE change.run_id = $2 AND change.kind NOT IN ('first', 'new')
      ORDER BY change.change_id, favorite.user_key
      """, [.number(0), .number(runID)]
    ) { row in
      let first = OfferColumns.count
      let offer = OfferTable.stored(row).offer
      guard let kind = OfferChange.Kind(rawValue: row.text(first + 1)) else { return }
      let fields = row.findText(first + 2).map(ChangedFields.init(parsing:))
      let change = OfferChange(
        changeID: row.number(first), kind: kind, at: now, offer: offer,
        oldReward: fields?.rewards?.old, newReward: fields?.rewards?.new, reward: offer.reward,
        fields: fields?.names ?? [], texts: fields?.texts ?? [])
      guard News.tells(change, at: now) else { return }
      notices.append(
        UserNotice(
          user: row.number(first + 3),
          // A copy of the database numbers its changes anew.
          subject: "change \(row.number(first)) \(offer.ref) \(now.storedSeconds)", at: now,
          feed: offer.ref.feed, offerID: offer.ref.offerID, name: offer.name,
          reason: .favorite(
            kind, old: change.oldReward, new: change.newReward, fields: change.fields,
            texts: change.texts)))
    }
    return notices
  }

  /// The notices of the new offers of a feed that are probably gone favorites under another id, for all users.
  ///
  /// - Parameter lastKey: offers with a larger key are new.
  static func returned(
    to feed: String, feedKey: Int64, after lastKey: Int64, at now: Date,
    in transaction: any Transaction
  ) throws -> [UserNotice] {
    let users = try transaction.rows(
      """
      SELECT DISTINCT favorite.user_key FROM \(OfferColumns.favoriteSource)
      WHERE favorite.feed = $1 AND offer.gone_at IS NOT NULL ORDER BY favorite.user_key
      """, [.text(feed)]
    ) { $0.number(0) }
    return try users.flatMap { user in
      try LostFavorites.returned(
        of: user, to: feed, feedKey: feedKey, after: lastKey, in: transaction
      ).map { found in
        UserNotice(
          user: user, subject: "returned \(found.offer) \(now.storedSeconds)", at: now, feed: feed,
          offerID: found.offer.offerID, name: found.name,
          reason: .favorite(.back, old: nil, new: nil, fields: []))
      }
    }
  }

  /// The notices of the favorites that end within `OfferChange.expiringSeconds`, for all users. Those that were
  /// written before are left out when they are written.
  static func ending(at now: Date, in transaction: any Transaction) throws -> [UserNotice] {
    try transaction.rows(
      """
      SELECT favorite.user_key, favorite.feed, favorite.id, offer.name, offer.expires_at
      FROM \(OfferColumns.favoriteSource)
      WHERE offer.expires_at > $1 AND offer.expires_at <= $2 AND offer.gone_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM user_notice WHERE user_notice.user_key = favorite.user_key
          AND user_notice.subject = 'ending ' || favorite.feed || ':' || favorite.id || ' '
            || CAST(offer.expires_at AS TEXT))
      ORDER BY favorite.user_key, offer.expires_at, favorite.feed, favorite.id
      """, [.date(now), .date(now + OfferChange.expiringSeconds)]
    ) { row in
      let end = row.date(4)
      let ref = OfferRef(feed: row.text(1), offerID: row.text(2))
      return UserNotice(
        user: row.number(0), subject: "ending \(ref.feed):\(ref.offerID) \(end.storedSeconds)",
        at: now,
        feed: ref.feed, offerID: ref.offerID, name: row.text(3), reason: .ending(end))
    }
  }

  /// The notices that feeds fail, work again or hold offers back, for the users with a channel.
  static func failing(at now: Date, in transaction: any Transaction) throws -> [UserNotice] {
    let users = try transaction.rows("SELECT DISTINCT user_key FROM channel ORDER BY user_key") {
      $0.number(0)
    }
    if users.isEmpty { return [] }
    let failing = try FailingFeed.fetch(now: now.storedSeconds, in: transaction)
    let held = try heldBack(at: now, in: transaction)
    return try users.flatMap { user in
      let told = failing.map { feed in
        UserNotice(
          user: user, subject: "failing \(feed.name) \(feed.noticeSubject)", at: now,
          feed: feed.name, name: feed.name,
          reason: .failing(
            since: feed.stoppedAt ?? feed.since, count: feed.failureCount, message: feed.message))
      }
      return told + held.map { $0(user) } + (try recovered(user, at: now, in: transaction))
    }
  }

  /// Functions that make the notice for a user, one for each subscribed feed with held-back removals. Its subject has the
  /// time since when they are held back, so that a user is told once.
  private static func heldBack(
    at now: Date, in transaction: any Transaction
  ) throws -> [(User.ID) -> UserNotice] {
    try transaction.rows(
      """
      SELECT feed.name, feed.current_count, \(FetchStateTable.selection)
      FROM feed JOIN feed_fetch ON feed_fetch.feed_key = feed.feed_key
      WHERE feed.unsubscribed_at IS NULL AND feed_fetch.held_since IS NOT NULL ORDER BY feed.name
      """
    ) { row -> ((User.ID) -> UserNotice)? in
      let (name, count) = (row.text(0), row.count(1))
      guard let held = FetchStateTable.state(row, from: 2).held else { return nil }
      return { user in
        UserNotice(
          user: user, subject: "held \(name) \(held.since.storedSeconds)", at: now, feed: name,
          name: name, reason: .heldBack(held, of: count))
      }
    }.compactMap(\.self)
  }

  /// The notices of a user that feeds work again whose failure was the last that they were told of them.
  private static func recovered(
    _ user: User.ID, at now: Date, in transaction: any Transaction
  ) throws -> [UserNotice] {
    try transaction.rows(
      """
      SELECT feed.name, max(told.notice_key)
      FROM feed JOIN feed_fetch ON feed_fetch.feed_key = feed.feed_key
      JOIN user_notice AS told ON told.user_key = $1 AND told.feed = feed.name AND told.id = ''
      WHERE feed.unsubscribed_at IS NULL AND feed_fetch.failing_since IS NULL
        AND feed_fetch.stopped_at IS NULL AND told.subject LIKE 'failing %' AND told.at >= $2
      GROUP BY feed.name ORDER BY feed.name
      """, [.number(user), .number(now.storedSeconds - Int64(News.recoverySeconds))]
    ) { row in
      // The number of the last failure, so that it is told once.
      UserNotice(
        user: user, subject: "recovered \(row.text(0)) \(row.number(1))", at: now,
        feed: row.text(0),
        name: row.text(0), reason: .recovered)
    }
  }
}
