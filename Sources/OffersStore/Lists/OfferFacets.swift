import Foundation
import OffersCore

/// The SQL that reads the retailers and categories of offers, gone ones included, most frequent first, for a
/// filter and for suggestions after a mistyped name. Bounded, because only frequent ones are worth
/// suggesting.
enum OfferFacets {
  private static let limit = 1000

  static func retailers(of feed: String?, in transaction: any Transaction) throws -> [String] {
    try labels(
      of: feed,
      """
      SELECT offer.retailer FROM offer
      WHERE offer.retailer IS NOT NULL AND ($1 IS NULL OR offer.feed_key = $1)
      GROUP BY offer.retailer ORDER BY count(*) DESC, offer.retailer LIMIT \(limit)
      """, in: transaction)
  }

  static func categories(of feed: String?, in transaction: any Transaction) throws -> [String] {
    let categories = transaction.dialect.texts(of: "offer.categories", as: "category")
    return try labels(
      of: feed,
      """
      SELECT category.value FROM offer, \(categories)
      WHERE offer.categories IS NOT NULL AND ($1 IS NULL OR offer.feed_key = $1)
      GROUP BY category.value ORDER BY count(*) DESC, category.value LIMIT \(limit)
      """, in: transaction)
  }

  private static func labels(
    of feed: String?, _ sql: String, in transaction: any Transaction
  ) throws -> [String] {
    var feedKey: Int64?
    if let feed {
      guard let key = try FeedTable.findKey(feed, in: transaction) else { return [] }
      feedKey = key
    }
    return try transaction.rows(sql, [.number(feedKey)]) { $0.text(0) }
  }
}

/// The numbers of offers of whole lists.
package enum ListCount {
  /// The number of offers in the list of a feed, or in all lists for nil, by the stored numbers.
  package static func current(feedKey: Int64?, in transaction: any Transaction) throws -> Int {
    try transaction.rows(
      """
      SELECT \(FeedTable.currentCount) FROM feed WHERE $1 IS NULL OR feed.feed_key = $1
      """, [.number(feedKey)]
    ) { $0.count(0) }.reduce(0, +)
  }

  /// The number of those offers that have expired at a time.
  package static func expired(
    feedKey: Int64?, at now: Date, in transaction: any Transaction
  ) throws -> Int {
    let offerFeed = transaction.dialect.unindexed("offer.feed_key")
    return try transaction.first(
      """
      SELECT count(*) FROM offer
      WHERE offer.expires_at <= $1 AND \(OfferColumns.isCurrent)
        AND ($2 IS NULL OR \(offerFeed) = $2)
      """, [.date(now), .number(feedKey)]
    ) { $0.count(0) } ?? 0
  }
}
