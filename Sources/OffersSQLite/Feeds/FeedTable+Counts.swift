import Foundation
import GRDB
import OffersCore
import OffersStore

/// The numbers of the offers of feeds.
extension FeedTable {
  /// Whether a feed has an offer that was in its document once, not only found by a search.
  static func hasListedOffers(feedKey: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (SELECT 1 FROM offer WHERE feed_key = ? AND NOT EXISTS (
          SELECT 1 FROM found_offer WHERE found_offer.offer_key = offer.offer_key))
        """, arguments: [feedKey]) ?? false
  }

  /// The stored number of the feed's current offers.
  static func fetchCurrentCount(feedKey: Int64, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT current_count FROM feed WHERE feed_key = ?", arguments: [feedKey]) ?? 0
  }

  /// The number of current offers of a feed, or of all feeds, unsubscribed ones included.
  static func countCurrent(of feed: String?, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT sum(current_count) FROM feed WHERE ?1 IS NULL OR name = ?1",
      arguments: [feed?.lookedUp]) ?? 0
  }

  /// The number of those current offers that have expired at a time.
  static func countExpired(of feed: String?, at now: Date, in database: Database) throws -> Int {
    try Int.fetchOne(
      database,
      sql: """
        SELECT count(*)
        FROM offer_detail AS detail INDEXED BY offer_detail_by_expiry
        CROSS JOIN offer ON offer.offer_key = detail.offer_key
        CROSS JOIN feed ON feed.feed_key = offer.feed_key
        WHERE detail.expires_at <= ?1 AND offer.gone_at IS NULL AND (?2 IS NULL OR feed.name = ?2)
        """, arguments: [now.storedSeconds, feed?.lookedUp]) ?? 0
  }

  /// Adds to the stored number of the feed's current offers.
  static func addCurrent(_ difference: Int, feedKey: Int64, in database: Database) throws {
    try database.execute(
      sql: "UPDATE feed SET current_count = current_count + ? WHERE feed_key = ?",
      arguments: [difference, feedKey])
  }
}
