import Foundation
import OffersCore

/// The stored numbers of the offers of feeds, which leave out the offers that only a search on a feed's server
/// found.
extension FeedTable {
  /// The number of the offers in the list of a feed: those of its document, and those that only a search on
  /// its server found and that somebody starred.
  static let currentCount = """
    feed.current_count + (SELECT count(*) FROM offer
      WHERE offer.feed_key = feed.feed_key AND offer.found_at IS NOT NULL
        AND offer.gone_at IS NULL AND EXISTS (
          SELECT 1 FROM favorite WHERE favorite.feed = feed.name AND favorite.id = offer.id))
    """

  /// The feeds whose stored numbers are wrong, by name: the name, the stored numbers of current and of gone
  /// offers, and the right ones.
  package static let miscountSQL = """
    SELECT feed.name, feed.current_count, feed.gone_count, counted.current_count, counted.gone_count
    FROM feed JOIN (\(countedSQL)) AS counted ON counted.feed_key = feed.feed_key
    WHERE (feed.current_count, feed.gone_count) <> (counted.current_count, counted.gone_count)
    ORDER BY feed.name
    """

  /// The right numbers of the offers of each feed.
  private static let countedSQL = """
    SELECT feed.feed_key,
      count(offer.offer_key)
        FILTER (WHERE offer.gone_at IS NULL AND offer.found_at IS NULL) AS current_count,
      count(offer.gone_at) AS gone_count
    FROM feed LEFT JOIN offer ON offer.feed_key = feed.feed_key GROUP BY feed.feed_key
    """

  /// The number of the current offers of a feed's document.
  package static func fetchCurrentCount(
    feedKey: Int64, in transaction: any Transaction
  ) throws -> Int {
    try transaction.first(
      "SELECT current_count FROM feed WHERE feed_key = $1", [.number(feedKey)]
    ) { $0.count(0) } ?? 0
  }

  /// Whether a feed has an offer that was in its document once, not only found by a search.
  package static func hasOffers(feedKey: Int64, in transaction: any Transaction) throws -> Bool {
    try transaction.exists(
      "SELECT 1 FROM offer WHERE feed_key = $1 AND found_at IS NULL LIMIT 1", [.number(feedKey)])
  }

  /// Makes all offers of a feed gone, and forgets its document.
  package static func endOffers(
    feedKey: Int64, at time: Date, in transaction: any Transaction
  ) throws {
    try transaction.run(
      """
      UPDATE offer
      SET gone_at = coalesce(gone_at, \(transaction.dialect.greatest)($2, first_seen_at)),
        found_at = NULL
      WHERE feed_key = $1 AND (gone_at IS NULL OR found_at IS NOT NULL)
      """, [.number(feedKey), .date(time)])
    try transaction.run(
      """
      UPDATE feed SET current_count = 0,
        gone_count = (SELECT count(*) FROM offer WHERE offer.feed_key = feed.feed_key),
        document_hash = NULL, document_head_hash = NULL, document_bytes = NULL
      WHERE feed_key = $1
      """, [.number(feedKey)])
    try FetchStateTable.delete(feedKey: feedKey, in: transaction)
    try MissingOfferTable.clear(feedKey: feedKey, in: transaction)
  }

  /// Changes the stored numbers of a feed's offers.
  package static func add(
    _ counts: FeedCountChange, feedKey: Int64, in transaction: any Transaction
  ) throws {
    if counts == FeedCountChange() { return }
    // A number that another program has set too low stops no write.
    let greatest = transaction.dialect.greatest
    try transaction.run(
      """
      UPDATE feed SET current_count = \(greatest)(0, current_count + $2),
        gone_count = \(greatest)(0, gone_count + $3)
      WHERE feed_key = $1
      """, [.number(feedKey), .count(counts.current), .count(counts.gone)])
  }

  /// Counts the offers of all feeds anew.
  package static func count(in transaction: any Transaction) throws {
    try transaction.run(
      """
      UPDATE feed SET current_count = counted.current_count, gone_count = counted.gone_count
      FROM (\(countedSQL)) AS counted
      WHERE feed.feed_key = counted.feed_key
        AND (feed.current_count, feed.gone_count) <> (counted.current_count, counted.gone_count)
      """)
  }
}

/// A change of the stored numbers of a feed's offers, without those that only a search found.
package struct FeedCountChange: Equatable {
  /// The number of offers that the feed has now.
  package var current = 0
  /// The number of stored offers that are gone from the feed.
  package var gone = 0

  package init() {}
}
