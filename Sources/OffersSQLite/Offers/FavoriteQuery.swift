import GRDB
import OffersCore

/// The SQL that reads favorites, and writes those of an import.
enum FavoriteQuery {
  /// The favorites of a user, as a table expression named `favorite`; for nil those of all users,
  /// each once and without its times.
  static func rows(of user: User.ID?) -> String {
    let selection = user.map { "SELECT feed, id, created_at FROM favorite WHERE user_key = \($0)" }
    return "(\(selection ?? "SELECT DISTINCT feed, id FROM favorite")) AS favorite"
  }

  /// Selects the keys of the favorites of a user, or of all users for nil, whose offers are stored.
  static func offerKeys(of user: User.ID?) -> String {
    """
    SELECT offer.offer_key FROM \(rows(of: user))
    CROSS JOIN feed ON feed.name = favorite.feed
    CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
    """
  }

  /// The keys of the same favorites, to find favorites among the offers of changes.
  static func sortedKeys(of user: User.ID?, in database: Database) throws -> SortedKeys {
    SortedKeys(try Int64.fetchAll(database, sql: offerKeys(of: user)))
  }

  /// The number of favorites of a user, also of those whose offers are not stored.
  static func count(of user: User.ID, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM favorite WHERE user_key = ?", arguments: [user]) ?? 0
  }

  /// Whether an offer is a favorite of any user.
  static func contains(offerKey: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM offer CROSS JOIN feed USING (feed_key)
            CROSS JOIN favorite ON favorite.feed = feed.name AND favorite.id = offer.id
            WHERE offer.offer_key = ?)
          """),
      arguments: [offerKey]) ?? false
  }

  /// Inserts a favorite, unless the user has it already.
  ///
  /// - Parameters:
  ///   - ref: the offer, which need not be stored.
  ///   - user: the user.
  ///   - seconds: the time at which it was starred.
  ///   - sharedAt: the time at which it was shared with the household; nil for never.
  ///   - database: the connection.
  /// - Returns: whether the offer was no favorite of the user before.
  static func insert(
    _ ref: OfferRef, of user: User.ID, at seconds: Int64, sharedAt: Int64? = nil,
    in database: Database
  ) throws -> Bool {
    try database.cachedStatement(
      sql: """
        INSERT INTO favorite (user_key, feed, id, created_at, shared_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (user_key, feed, id) DO NOTHING
        """
    ).execute(arguments: [user, ref.feed, ref.offerID, seconds, sharedAt])
    guard database.changesCount > 0 else { return false }
    return true
  }

  /// Sets the time of a favorite to an earlier one; a later one changes nothing.
  static func setEarlier(
    _ seconds: Int64, of ref: OfferRef, user: User.ID, in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        UPDATE favorite SET created_at = ?1
        WHERE user_key = ?2 AND feed = ?3 AND id = ?4 AND created_at > ?1
        """
    ).execute(arguments: [seconds, user, ref.feed, ref.offerID])
  }

  /// Whether a star of the offer changes what others see: the lists, if a search found the offer
  /// on its feed's server, or the household list.
  static func concernsOthers(_ ref: OfferRef, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM favorite WHERE feed = ?1 AND id = ?2 AND shared_at IS NOT NULL)
            OR EXISTS (
              SELECT 1 FROM feed CROSS JOIN offer USING (feed_key)
              WHERE feed.name = ?1 AND offer.id = ?2 AND offer.found_at IS NOT NULL)
          """), arguments: [ref.feed, ref.offerID]) ?? false
  }
}
