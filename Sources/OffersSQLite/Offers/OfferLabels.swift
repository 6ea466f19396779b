import GRDB
import OffersCore

/// The words that offers are labelled with, those of the most offers first: to say which one may
/// have been meant. No more than a person could have had in mind are looked at.
enum OfferLabels {
  private static let limit = 1000

  /// Narrows the offers down to a feed's, where one is given.
  private static let ofFeed = """
    (:feed IS NULL OR offer_key IN (
      SELECT offer_key FROM offer JOIN feed USING (feed_key) WHERE feed.name = :feed))
    """

  static func retailers(of feed: String?, in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT retailer FROM offer_detail WHERE retailer IS NOT NULL AND \(ofFeed)
        GROUP BY retailer ORDER BY count(*) DESC, retailer LIMIT \(limit)
        """, arguments: ["feed": feed])
  }

  static func categories(of feed: String?, in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT category.value FROM offer_detail, json_each(offer_detail.categories) AS category
        WHERE offer_detail.categories IS NOT NULL AND \(ofFeed)
        GROUP BY category.value ORDER BY count(*) DESC, category.value LIMIT \(limit)
        """, arguments: ["feed": feed])
  }
}

extension OffersDatabase {
  /// Who sells the offers of a feed, or of all; the shops with the most offers first, a thousand at
  /// most.
  package func fetchRetailers(of feed: String?) async throws -> [String] {
    try await read { try OfferLabels.retailers(of: feed, in: $0) }
  }

  /// The categories of the offers, likewise.
  package func fetchCategories(of feed: String?) async throws -> [String] {
    try await read { try OfferLabels.categories(of: feed, in: $0) }
  }
}
