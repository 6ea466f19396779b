import Foundation
import OffersCore

extension OffersDatabase {
  /// The mark of a reader; nil for one that has never read.
  package func findMark(of reader: String) async throws(OffersError) -> ReaderMark? {
    try await transaction(.query) { [user] in try ReaderTable.find(reader, of: user, in: $0) }
  }

  /// Advances a reader's mark. A mark never moves back.
  package func setMark(_ mark: ReaderMark, of reader: String) async throws(OffersError) {
    try await transaction(.repeatableWrite) { [user] transaction in
      try UserTable.check(user, in: transaction)
      try ReaderTable.advance(reader, of: user, to: mark, in: transaction)
    }
  }

  /// Records, in one transaction, that the news were delivered to a reader: advances its mark, and
  /// records the notices about expiring favorites and failing feeds, which count as delivered to
  /// all readers.
  ///
  /// - Parameters:
  ///   - news: the news that were delivered.
  ///   - lastID: the change id that `fetchNews` returned.
  ///   - reader: the name of the reader.
  ///   - now: the time that was passed to `fetchNews`.
  /// - Throws: `OffersError` with `notFound` if the user was removed.
  package func setNewsTold(
    _ news: News, lastID: Int64, reader: String, now: Date
  ) async throws(OffersError) {
    try await transaction(.repeatableWrite) { [user] transaction in
      try UserTable.check(user, in: transaction)
      try ReaderTable.advance(
        reader, of: user, to: ReaderMark(changeID: lastID, readAt: now), in: transaction)
      try NoticeTable.insert(
        NoticeTable.notices(of: news.changes, news.failing), of: user, at: now, in: transaction)
      try NoticeTable.delete(failing: news.recovered, of: user, in: transaction)
    }
  }
}

extension News {
  /// The news of changes and failing feeds without those that were told to a user, and the feeds that work
  /// again.
  package init(
    untold changes: [OfferChange], _ failing: [FailingFeed], to user: User.ID,
    in transaction: any Transaction
  ) throws {
    let told = try NoticeTable.told(
      NoticeTable.notices(of: changes, failing), of: user, in: transaction)
    self.init(
      changes: changes.filter { !(NoticeTable.Notice($0).map(told.contains) ?? false) },
      failing: failing.filter { !told.contains(NoticeTable.Notice($0)) },
      recovered: try RecoveredFeed.fetch(toldTo: user, in: transaction))
  }
}

/// The SQL for the marks of readers: the newest change that each has read.
package enum ReaderTable {
  /// The mark of a reader; nil for one that has read nothing.
  static func find(
    _ name: String, of user: User.ID, in transaction: any Transaction
  ) throws -> ReaderMark? {
    if !StoredText.isStorable(name) { return nil }
    return try transaction.first(
      "SELECT change_id, read_at FROM reader WHERE user_key = $1 AND name = $2",
      [.number(user), .text(name)]
    ) { ReaderMark(changeID: $0.number(0), readAt: $0.date(1)) }
  }

  /// The marks of a reader, by what it read.
  static func marks(
    of reader: String, user: User.ID, in transaction: any Transaction
  ) throws -> [ChangeSelection: ReaderMark] {
    let rows = try transaction.rows(
      "SELECT name, change_id, read_at FROM reader WHERE user_key = $1", [.number(user)]
    ) { (name: $0.text(0), mark: ReaderMark(changeID: $0.number(1), readAt: $0.date(2))) }
    let marks = rows.compactMap { row in
      ChangeSelection(markNamed: row.name, of: reader).map { ($0, row.mark) }
    }
    return Dictionary(marks) { first, _ in first }
  }

  /// Advances a mark, which never moves back.
  package static func advance(
    _ name: String, of user: User.ID, to mark: ReaderMark, in transaction: any Transaction
  ) throws {
    let greatest = transaction.dialect.greatest
    try transaction.run(
      """
      INSERT INTO reader (user_key, name, change_id, read_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (user_key, name) DO UPDATE SET
        change_id = \(greatest)(reader.change_id, excluded.change_id),
        read_at = \(greatest)(reader.read_at, excluded.read_at)
      WHERE excluded.change_id > reader.change_id OR excluded.read_at > reader.read_at
      """, [.number(user), .text(name), .number(mark.changeID), .date(mark.readAt)])
  }
}

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

extension LostFavorites {
  package init(of user: User.ID, in transaction: any Transaction) throws {
    self.init()
    let rows = try transaction.rows(
      """
      SELECT favorite.feed, favorite.id, offer.name, offer.description, offer.gone_at
      FROM \(OfferColumns.favoriteSource)
      WHERE favorite.user_key = $1 AND offer.gone_at IS NOT NULL
      ORDER BY favorite.feed, favorite.id
      """, [.number(user)]
    ) { ($0.text(0), $0.text(1), $0.text(2), $0.findText(3), $0.date(4)) }
    for (feed, id, name, description, goneAt) in rows {
      add(OfferRef(feed: feed, offerID: id), name: name, description: description, goneAt: goneAt)
    }
  }

  /// The offer that probably replaces a gone favorite: a current one of the same feed, name and
  /// description that is no favorite, and was first seen after the favorite and at most
  /// `successorSeconds` before the favorite vanished.
  ///
  /// When all ids of a feed change, its removals are held back for a while, so the new offers
  /// come first. `find(_:)` recognizes an offer that comes after the favorite vanished.
  package static func successor(
    of favorite: UserOffer, user: User.ID, in transaction: any Transaction
  ) throws -> OfferRef? {
    guard let goneAt = favorite.goneAt else { return nil }
    // SQLite has no index on names. It reads the offers in their order then.
    let feedKey = transaction.dialect.unindexed("offer.feed_key")
    return try transaction.first(
      """
      SELECT offer.id FROM feed JOIN offer ON \(feedKey) = feed.feed_key
      WHERE feed.name = $2 AND \(OfferColumns.hasName("$3"))
        AND offer.description IS NOT DISTINCT FROM $4 AND \(OfferColumns.isCurrent)
        AND offer.first_seen_at > $5 AND offer.first_seen_at >= $6 AND offer.first_seen_at < $7
        AND NOT \(OfferColumns.isFavorite)
      ORDER BY offer.offer_key LIMIT 1
      """,
      [
        .number(user), .text(favorite.ref.feed), .text(favorite.name),
        .text(favorite.description), .date(favorite.firstSeenAt),
        .number(goneAt.storedSeconds - successorSeconds), .date(goneAt),
      ]
    ) { OfferRef(feed: favorite.ref.feed, offerID: $0.text(0)) }
  }

  /// The new offers of a feed that are probably returned favorites of a user, up to the limit.
  /// Offers with a larger key than `lastKey` are new.
  package static func returned(
    of user: User.ID, to feed: String, feedKey: Int64, after lastKey: Int64,
    in transaction: any Transaction
  ) throws -> [FavoriteSuccessor] {
    let favorites = try LostFavorites(of: user, in: transaction)
    let names = favorites.names(in: feed)
    if names.isEmpty { return [] }
    var found: [FavoriteSuccessor] = []
    // The sum keeps the engine from an index on feeds: the new offers are few.
    try transaction.scan(
      """
      SELECT id, name, description FROM offer
      WHERE offer_key > $1 AND feed_key + 0 = $2
        AND \(transaction.dialect.isElement("name", of: "$3"))
      ORDER BY offer_key
      """, [.number(lastKey), .number(feedKey), .texts(names)]
    ) { row in
      let returned = favorites.findReturned(
        OfferRef(feed: feed, offerID: row.text(0)), name: row.text(1), description: row.findText(2))
      if let returned { found.append(returned) }
      return found.count < returnedLimit
    }
    return found
  }
}

extension OfferColumns {
  /// A condition that an offer has a name. It repeats the expression of PostgreSQL's index `offer_by_name`.
  ///
  /// - Parameter name: an SQL expression.
  static func hasName(_ name: String) -> String {
    "substr(offer.name, 1, 64) = substr(\(name), 1, 64) AND offer.name = \(name)"
  }
}
