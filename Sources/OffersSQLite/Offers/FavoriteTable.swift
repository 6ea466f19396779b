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

  /// The same, to look for those that a change tells of.
  static func sortedKeys(in database: Database) throws -> SortedKeys {
    SortedKeys(try Int64.fetchAll(database, sql: offerKeys))
  }

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
