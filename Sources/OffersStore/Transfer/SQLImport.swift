import Foundation
import OffersCore

/// The statements of an import into a store behind an engine. Extensions have those for feeds and users; the
/// engines write offers and the history in bulk.
package protocol SQLImport: ImportStore {
  var transaction: any Transaction { get }
}

/// Feeds.
extension SQLImport {
  package func findFeed(_ name: String) throws -> StoredFeed? {
    try transaction.first(
      """
      SELECT feed.feed_key, good.started_at, good.source,
        EXISTS (SELECT 1 FROM offer WHERE offer.feed_key = feed.feed_key), feed.chosen_source
      FROM feed \(SyncRunTable.lastJoin) WHERE feed.name = $1
      """, [.text(name)]
    ) { row in
      StoredFeed(
        key: row.number(0),
        lastSuccess: row.findNumber(1).map { ImportedSight(at: $0, source: row.text(2)) },
        hasOffers: row.flag(3), source: row.findText(4))
    }
  }

  package func insert(_ feed: ExportedFeed) throws -> Int64 {
    try transaction.first(
      """
      INSERT INTO feed (
        name, source, subscribed_at, title, shared, unsubscribed_at, presentation)
      VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING feed_key
      """,
      [
        .text(feed.name), .text(feed.source), .number(feed.subscribedAt), .text(feed.title),
        .text(OfferAttribute.json(feed.shared)), .number(feed.unsubscribedAt),
        .text(feed.presentation?.storedText),
      ]
    ) { $0.number(0) } ?? 0
  }

  package func replace(_ feed: ExportedFeed, key: Int64) throws {
    try transaction.run(
      """
      UPDATE feed SET source = $2, subscribed_at = $3, title = $4, shared = $5,
        unsubscribed_at = $6, presentation = coalesce($7, presentation)
      WHERE feed_key = $1
      """,
      [
        .number(key), .text(feed.source), .number(feed.subscribedAt), .text(feed.title),
        .text(OfferAttribute.json(feed.shared)), .number(feed.unsubscribedAt),
        .text(feed.presentation?.storedText),
      ])
    if feed.chosenSource == nil { try FeedTable.forgetSource(of: feed.name, in: transaction) }
  }

  package func merge(_ feed: ExportedFeed, isNewer: Bool, key: Int64) throws {
    try transaction.run(
      """
      UPDATE feed SET source = CASE WHEN $2 THEN $3 ELSE source END,
        subscribed_at = \(transaction.dialect.least)(subscribed_at, $4),
        title = CASE WHEN $2 THEN $5 ELSE title END,
        shared = CASE WHEN $2 THEN $6 ELSE shared END,
        presentation = CASE WHEN $2 THEN coalesce($7, presentation)
          ELSE coalesce(presentation, $7) END
      WHERE feed_key = $1
      """,
      [
        .number(key), .flag(isNewer), .text(feed.source), .number(feed.subscribedAt),
        .text(feed.title), .text(OfferAttribute.json(feed.shared)),
        .text(feed.presentation?.storedText),
      ])
  }

  package func setSource(_ source: NamedSource, feedKey: Int64) throws {
    try transaction.run(
      "UPDATE feed SET chosen_source = $2, source_origin = $3 WHERE feed_key = $1",
      [.number(feedKey), .text(source.text), .text(source.origin?.rawValue)])
  }

  package func forgetDocument(feedKey: Int64) throws {
    try FeedTable.setDocument(nil, feedKey: feedKey, in: transaction)
    try FetchStateTable.forgetValidators(feedKey: feedKey, in: transaction)
  }
}

/// Users.
extension SQLImport {
  package func isNew() throws -> Bool {
    try transaction.first(
      """
      SELECT NOT EXISTS (SELECT 1 FROM sync_run) AND NOT EXISTS (SELECT 1 FROM favorite)
        AND NOT EXISTS (SELECT 1 FROM \(transaction.dialect.users)
          WHERE user_key <> $1 OR folded_name <> $2)
      """, [.number(User.ownerID), .text(User.unnamedOwner)]
    ) { $0.flag(0) } ?? false
  }

  package func findUser(named name: String) throws -> User? {
    try UserTable.find(named: name, in: transaction)
  }

  package func fetchUser(_ id: User.ID) throws -> User {
    try UserTable.fetch(id, in: transaction)
  }

  package func insertUser(_ name: String, _ role: User.Role, at seconds: Int64) throws -> User.ID {
    try UserTable.lock(in: transaction)
    return try UserTable.insert(name, role, at: Date(storedSeconds: seconds), in: transaction)
  }

  package func setOwner(_ name: String, createdAt: Int64?) throws {
    try UserTable.lock(in: transaction)
    try UserTable.update(User.ownerID, name: name, role: .admin, in: transaction)
    guard let createdAt else { return }
    try transaction.run(
      "UPDATE \(transaction.dialect.users) SET created_at = $2 WHERE user_key = $1",
      [.number(User.ownerID), .number(createdAt)])
  }

  package func fetchSearches(of user: User.ID) throws -> [ExportedUser.Search] {
    try UserTable.check(user, isExclusive: true, in: transaction)
    return try RecentSearchTable.list(of: user, in: transaction).map { ExportedUser.Search($0) }
  }

  package func put(_ search: ExportedUser.Search, of user: User.ID) throws {
    try RecentSearchTable.put(
      search.words, feed: search.feed, of: user, at: Date(storedSeconds: search.searchedAt),
      in: transaction)
  }

  package func insert(_ mark: ExportedUser.Mark, changeID: Int64, of user: User.ID) throws {
    try transaction.run(
      """
      INSERT INTO reader (user_key, name, change_id, read_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (user_key, name) DO NOTHING
      """, [.number(user), .text(mark.reader), .number(changeID), .number(mark.readAt)])
  }
}
