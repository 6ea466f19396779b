import Foundation
import OffersCore

/// The SQL that sets and removes favorites.
enum FavoriteTable {
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
