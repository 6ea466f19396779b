import Foundation
import GRDB
import OffersCore

/// The SQL for current offers that the last document of their feed lacks.
enum MissingOfferTable {
  static func fetch(feedKey: Int64, in database: Database) throws -> [MissingOffer] {
    try Row.fetchAll(
      database,
      sql: "SELECT offer_key, since FROM missing_offer WHERE feed_key = ? ORDER BY offer_key",
      arguments: [feedKey]
    ).map {
      MissingOffer(
        key: $0["offer_key"], since: ($0["since"] as Int64?).map(Date.init(storedSeconds:)))
    }
  }

  /// Replaces the missing offers of a feed. Those that were removed from the store are left out.
  static func replace(with missing: [MissingOffer], feedKey: Int64, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM missing_offer WHERE feed_key = ?", arguments: [feedKey])
    if missing.isEmpty { return }
    let insert = try RawStatement(
      database,
      """
      INSERT INTO missing_offer (offer_key, feed_key, since)
      SELECT offer_key, feed_key, ?2 FROM offer
      WHERE offer_key = ?1 AND feed_key = ?3 AND gone_at IS NULL
      """)
    for offer in missing {
      insert.bind(1, offer.key)
      if let since = offer.since {
        insert.bind(2, since.storedSeconds)
      } else {
        insert.bindNull(2)
      }
      insert.bind(3, feedKey)
      try insert.run()
    }
  }

  /// Forgets the missing offers of a feed.
  static func clear(of feed: String, in database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM missing_offer WHERE feed_key = (SELECT feed_key FROM feed WHERE name = ?)
        """, arguments: [feed.lookedUp])
  }

  /// The look of the newest current offers of a feed.
  static func fetchLook(feedKey: Int64, in database: Database) throws -> FeedLook {
    var look = FeedLook(
      title: try String.fetchOne(
        database, sql: "SELECT title FROM feed_detail WHERE feed_key = ?", arguments: [feedKey]))
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT url, description IS NOT NULL AS has_description, terms IS NOT NULL AS has_terms,
          reward_text IS NOT NULL AS has_reward, image_url IS NOT NULL AS has_image
        FROM offer
        WHERE feed_key = ? AND gone_at IS NULL ORDER BY offer_key DESC LIMIT ?
        """, arguments: [feedKey, FeedLook.offerLimit])
    for row in rows {
      look.addOffer(
        url: row["url"], hasDescription: row["has_description"], hasTerms: row["has_terms"],
        hasReward: row["has_reward"], hasImage: row["has_image"])
    }
    return look
  }
}
