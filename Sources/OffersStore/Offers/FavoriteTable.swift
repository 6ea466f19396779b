import Foundation
import OffersCore

/// The SQL that sets, removes and finds favorites.
package enum FavoriteTable {
  /// Selects the keys of the stored favorites of a user.
  ///
  /// - Parameter user: a parameter or a number.
  package static func offerKeys(of user: String) -> String {
    """
    SELECT offer.offer_key FROM \(OfferColumns.favoriteSource)
    WHERE favorite.user_key = \(user)
    """
  }

  /// The favorites of a user that were starred before a time.
  static func refs(
    of user: User.ID, before time: Date, in transaction: any Transaction
  ) throws -> Set<OfferRef> {
    Set(
      try transaction.rows(
        "SELECT feed, id FROM favorite WHERE user_key = $1 AND created_at < $2",
        [.number(user), .date(time)], ref))
  }

  /// Whether a star of one of some offers changes what others see: the lists, if only a search on its
  /// feed's server found the offer, or the household list.
  static func concernsOthers(_ refs: [OfferRef], in transaction: any Transaction) throws -> Bool {
    let wanted = transaction.dialect.table(refs, as: "wanted", first: 1)
    return try transaction.exists(
      """
      SELECT 1 FROM \(wanted.sql)
      LEFT JOIN feed ON feed.name = wanted.feed
      LEFT JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = wanted.id
      WHERE offer.found_at IS NOT NULL OR EXISTS (
        SELECT 1 FROM favorite WHERE favorite.feed = wanted.feed AND favorite.id = wanted.id
          AND favorite.shared_at IS NOT NULL)
      LIMIT 1
      """, wanted.values)
  }

  /// Stars offers, also those that are not stored.
  ///
  /// - Returns: those that were no favorites of the user.
  static func insert(
    _ refs: [OfferRef], of user: User.ID, at time: Date, in transaction: any Transaction
  ) throws -> Set<OfferRef> {
    let wanted = transaction.dialect.table(refs, as: "wanted", first: 3)
    // Without the condition, SQLite takes ON for that of a join.
    return Set(
      try transaction.rows(
        """
        INSERT INTO favorite (user_key, feed, id, created_at)
        SELECT $1, wanted.feed, wanted.id, $2 FROM \(wanted.sql) WHERE true
        ON CONFLICT (user_key, feed, id) DO NOTHING RETURNING feed, id
        """, [.number(user), .date(time)] + wanted.values, isFrequent: true, ref))
  }

  /// Removes favorites.
  ///
  /// - Returns: those that were favorites of the user.
  static func delete(
    _ refs: [OfferRef], of user: User.ID, in transaction: any Transaction
  ) throws -> Set<OfferRef> {
    let wanted = transaction.dialect.table(refs, as: "wanted", first: 2)
    return Set(
      try transaction.rows(
        """
        DELETE FROM favorite
        WHERE user_key = $1 AND (feed, id) IN (SELECT wanted.feed, wanted.id FROM \(wanted.sql))
        RETURNING feed, id
        """, [.number(user)] + wanted.values, isFrequent: true, ref))
  }

  /// The reference in the first two columns of a row.
  static func ref(_ row: any SQLRow) -> OfferRef {
    OfferRef(feed: row.text(0), offerID: row.text(1))
  }
}
