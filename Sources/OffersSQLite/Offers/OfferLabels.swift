import GRDB
import OffersCore

/// The retailers and categories of offers, gone ones included, most frequent first, for suggestions
/// after a mistyped name. Bounded, because only frequent ones are worth suggesting.
enum OfferLabels {
  private static let limit = 1000

  /// Restricts the offers to a feed, if one is given.
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

extension OffersDatabase: LabelRepository {
  /// The retailers of a feed's offers, or of all offers; those with the most offers first, at most
  /// 1000.
  ///
  /// - Parameter feed: the feed's name; nil for the offers of all feeds. An unknown feed has none.
  /// - Throws: `OffersError` with `storageFailed`, or with `invalidRequest` if the database is
  ///   closed; `CancellationError` if the task is cancelled before the read begins.
  public func fetchRetailers(of feed: String?) async throws -> [String] {
    try await read { try OfferLabels.retailers(of: feed, in: $0) }
  }

  /// The categories of a feed's offers, or of all offers; those with the most offers first, at most
  /// 1000.
  ///
  /// - Parameter feed: the feed's name; nil for the offers of all feeds. An unknown feed has none.
  /// - Throws: as `fetchRetailers(of:)`.
  public func fetchCategories(of feed: String?) async throws -> [String] {
    try await read { try OfferLabels.categories(of: feed, in: $0) }
  }
}
