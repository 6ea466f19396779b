import Foundation
import OffersCore

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
