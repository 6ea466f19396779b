import GRDB
import OffersCore

/// The SQL that reads and writes favorites.
enum FavoriteTable {
  /// Selects the keys of all favorites whose offers are stored.
  static let offerKeys = """
    SELECT offer.offer_key FROM favorite
    CROSS JOIN feed ON feed.name = favorite.feed
    CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
    """

  /// The keys of all favorites whose offers are stored, to find favorites among the offers of
  /// changes.
  static func sortedKeys(in database: Database) throws -> SortedKeys {
    SortedKeys(try Int64.fetchAll(database, sql: offerKeys))
  }

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

  /// Returns whether the offer was not a favorite before.
  static func insert(_ ref: OfferRef, at seconds: Int64, in database: Database) throws -> Bool {
    try database.cachedStatement(
      sql: """
        INSERT INTO favorite (feed, id, created_at) VALUES (?, ?, ?)
        ON CONFLICT (feed, id) DO NOTHING
        """
    ).execute(arguments: [ref.feed, ref.offerID, seconds])
    guard database.changesCount > 0 else { return false }
    try FoundOffers.setListed(true, ref, in: database)
    return true
  }

  /// Sets the time of a favorite to an earlier one; a later one changes nothing.
  static func setEarlier(_ seconds: Int64, of ref: OfferRef, in database: Database) throws {
    try database.cachedStatement(
      sql: "UPDATE favorite SET created_at = ?1 WHERE feed = ?2 AND id = ?3 AND created_at > ?1"
    ).execute(arguments: [seconds, ref.feed, ref.offerID])
  }

  /// Returns whether the offer was a favorite before.
  static func delete(_ ref: OfferRef, in database: Database) throws -> Bool {
    try database.execute(
      sql: "DELETE FROM favorite WHERE feed = ? AND id = ?", arguments: [ref.feed, ref.offerID])
    guard database.changesCount > 0 else { return false }
    try FoundOffers.setListed(false, ref, in: database)
    return true
  }
}
