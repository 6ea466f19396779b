import GRDB
import OffersCore

/// The SQL that marks favorites.
enum FavoriteTable {
  static let insertSQL =
    "INSERT INTO favorite (feed, id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
  static let deleteSQL = "DELETE FROM favorite WHERE feed = ? AND id = ?"

  /// The keys of all favorites that are synced.
  static let offerKeys = """
    SELECT offer.offer_key FROM favorite
    CROSS JOIN feed ON feed.name = favorite.feed
    CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
    """

  /// Of a row of `ChangeTable.counted`: whether it tells of a favorite.
  static let isToldOf = """
    (change.offer_key IN (\(offerKeys)) OR new_offers.offer_count > 1 AND EXISTS (
      SELECT 1 FROM (\(offerKeys)) AS own
      WHERE own.offer_key > change.offer_key - new_offers.offer_count
        AND own.offer_key <= change.offer_key))
    """

  /// Returns whether the mark was not there before.
  static func insert(_ ref: OfferRef, at seconds: Int64, in database: Database) throws -> Bool {
    try database.execute(sql: insertSQL, arguments: [ref.feed, ref.id, seconds])
    return database.changesCount > 0
  }

  /// Returns whether the mark was there before.
  static func delete(_ ref: OfferRef, in database: Database) throws -> Bool {
    try database.execute(sql: deleteSQL, arguments: [ref.feed, ref.id])
    return database.changesCount > 0
  }
}
