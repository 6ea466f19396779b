import GRDB
import OffersCore

/// The offers that searches on a feed's server found, and that the feed's own document does not
/// have (`found_offer`).
///
/// They are searched and have their page, but are no offers of the feed: no list, count, change or
/// export has them. Starring one lists it, and no sync then removes it; a sync that finds it in the
/// feed's document makes it an ordinary new offer. Pruning removes those that no search found for
/// `Retention.vanishedOfferSeconds`; a search removes the longest unseen above
/// `Retention.foundOfferLimit`.
enum FoundOffers {
  /// Whether a feed has any.
  static func exist(feedKey: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM found_offer WHERE feed_key = ?)",
      arguments: [feedKey]) ?? false
  }

  static func contains(_ offerKey: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM found_offer WHERE offer_key = ?)"),
      arguments: [offerKey]) ?? false
  }

  /// Records that a search found an offer, which is not in its feed's document.
  static func put(
    _ offerKey: Int64, feedKey: Int64, at seconds: Int64, in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO found_offer (offer_key, feed_key, found_at, is_listed) VALUES (?1, ?2, ?3, 0)
        ON CONFLICT (offer_key) DO UPDATE SET found_at = excluded.found_at
        """
    ).execute(arguments: [offerKey, feedKey, seconds])
    try database.cachedStatement(
      sql: """
        UPDATE offer SET gone_at = (
          SELECT CASE WHEN is_listed = 0 THEN found_at END FROM found_offer
          WHERE found_offer.offer_key = ?1)
        WHERE offer_key = ?1
        """
    ).execute(arguments: [offerKey])
  }

  /// Makes a found offer an ordinary one.
  static func remove(_ offerKey: Int64, in database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM found_offer WHERE offer_key = ?")
      .execute(arguments: [offerKey])
  }

  /// Lists a found offer that became somebody's favorite, or leaves it out of the lists again once
  /// nobody has it among the favorites.
  static func updateListed(_ ref: OfferRef, in database: Database) throws {
    let isListed = try Bool.fetchOne(
      database.cachedStatement(
        sql: """
          UPDATE found_offer SET is_listed = NOT is_listed
          WHERE offer_key = (
            SELECT offer_key FROM feed CROSS JOIN offer USING (feed_key)
            WHERE feed.name = ?1 AND offer.id = ?2)
          AND is_listed <> EXISTS (SELECT 1 FROM favorite WHERE feed = ?1 AND id = ?2)
          RETURNING is_listed
          """), arguments: [ref.feed, ref.offerID])
    guard let isListed else { return }
    try database.execute(
      sql: """
        UPDATE offer SET gone_at = (
          SELECT CASE WHEN is_listed = 0 THEN found_at END FROM found_offer
          WHERE found_offer.offer_key = offer.offer_key)
        WHERE feed_key = (SELECT feed_key FROM feed WHERE name = ?1) AND id = ?2
        """, arguments: [ref.feed, ref.offerID])
    try database.execute(
      sql: "UPDATE feed SET current_count = current_count + ?1 WHERE name = ?2",
      arguments: [isListed ? 1 : -1, ref.feed])
  }
}
