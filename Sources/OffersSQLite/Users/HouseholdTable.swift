import Foundation
import GRDB
import OffersCore

/// The SQL of the household list: the favorites that are shared (`favorite.shared_at`).
enum HouseholdTable {
  /// The shared offers that are stored, each once, with the time at which the first user shared it.
  private static let source = """
    (SELECT feed, id, min(shared_at) AS first_at FROM favorite
      WHERE shared_at IS NOT NULL GROUP BY feed, id) AS shared
    CROSS JOIN feed ON feed.name = shared.feed
    CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = shared.id
    """

  /// Selects the keys of a part of the list. The first three arguments are the place after which it
  /// begins, or NULL: a time, a feed and an id. The last one is the feed of the offers, or NULL for all.
  static let keysSQL = """
    SELECT offer.offer_key FROM \(source)
    WHERE (?1 IS NULL OR first_at < ?1
        OR first_at = ?1 AND (shared.feed > ?2 OR shared.feed = ?2 AND shared.id > ?3))
      AND (?6 IS NULL OR shared.feed = ?6)
    ORDER BY first_at DESC, shared.feed, shared.id LIMIT ?4 OFFSET ?5
    """

  /// The keys of the offers that a query selects, in the list's order.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a place in another list.
  static func keys(_ query: HouseholdQuery, in database: Database) throws -> [Int64] {
    let start = try query.start()
    return try Int64.fetchAll(
      database, sql: keysSQL,
      arguments: [
        start?.sharedAt, start?.ref.feed, start?.ref.offerID,
        query.limit.map { max(0, $0) } ?? -1, max(0, query.offset), query.feed,
      ])
  }

  static func count(in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM \(source)") ?? 0
  }

  /// Selects the users who share an offer.
  static let sharersSQL = """
    SELECT user.user_key, user.name, favorite.shared_at
    FROM favorite CROSS JOIN user ON user.user_key = favorite.user_key
    WHERE favorite.feed = ? AND favorite.id = ? AND favorite.shared_at IS NOT NULL
    ORDER BY favorite.shared_at, favorite.user_key
    """

  /// An offer with the users who share it.
  static func withSharers(_ offer: UserOffer, in database: Database) throws -> HouseholdOffer {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: sharersSQL), arguments: [offer.ref.feed, offer.ref.offerID])
    return HouseholdOffer(
      offer: offer,
      sharers: rows.map {
        HouseholdOffer.Sharer(
          id: $0["user_key"], name: $0["name"], sharedAt: Date(storedSeconds: $0["shared_at"]))
      })
  }

  static let shareSQL = """
    UPDATE favorite SET shared_at = ?
    WHERE user_key = ? AND feed = ? AND id = ? AND shared_at IS NULL
    """

  /// Shares a favorite of a user.
  ///
  /// - Returns: whether the user did not share it before.
  static func share(
    _ ref: OfferRef, of user: User.ID, at seconds: Int64, in database: Database
  ) throws -> Bool {
    try database.cachedStatement(sql: shareSQL)
      .execute(arguments: [seconds, user, ref.feed.lookedUp, ref.offerID.lookedUp])
    return database.changesCount > 0
  }

  static let unshareSQL = """
    UPDATE favorite SET shared_at = NULL WHERE feed = ? AND id = ? AND shared_at IS NOT NULL
    """

  /// Ends the sharing of an offer by all users.
  ///
  /// - Returns: whether anybody shared it.
  static func unshare(_ ref: OfferRef, in database: Database) throws -> Bool {
    try database.cachedStatement(sql: unshareSQL)
      .execute(arguments: [ref.feed.lookedUp, ref.offerID.lookedUp])
    return database.changesCount > 0
  }
}
