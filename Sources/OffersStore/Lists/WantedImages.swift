import Foundation
import OffersCore

extension OffersDatabase {
  /// The offers whose images a user is most likely to look at, to fetch them ahead: favorites of any user,
  /// most recently starred first, then the newest offers.
  ///
  /// - Returns: as many offers as the image cache holds images, at most. Each has an image URL, and
  ///   no two have the same.
  /// - Throws: `OffersError` with `storageFailed`; `CancellationError`.
  public func fetchOffersWithWantedImages() async throws -> [Offer] {
    try await transaction(.read) { [user] transaction in
      let keys = try WantedImages.offerKeys(in: transaction)
      return try OfferTable.list(keys: keys, of: user, in: transaction).map(\.offer.offer)
    }
  }
}

/// The SQL that chooses images to fetch ahead.
enum WantedImages {
  /// More offers than the cache holds images, because several may share an image.
  private static let newestFactor = 10

  static func offerKeys(in transaction: any Transaction) throws -> [Int64] {
    let limit = try ImageTable.limit(in: transaction)
    let images =
      try transaction.rows(favorites, [], image)
      + transaction.rows(newest, [.date(Date()), .count(newestFactor * limit)], image)
    var seen: Set<String> = []
    return Array(images.filter { seen.insert($0.url).inserted }.prefix(limit).map(\.offerKey))
  }

  private static func image(_ row: any SQLRow) -> (offerKey: Int64, url: String) {
    (row.number(0), row.text(1))
  }

  private static let favorites = """
    SELECT offer.offer_key, offer.image_url
    FROM (SELECT feed, id, max(created_at) AS created_at FROM favorite GROUP BY feed, id) AS starred
    JOIN feed ON feed.name = starred.feed
    JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = starred.id
    WHERE offer.image_url IS NOT NULL
    ORDER BY starred.created_at DESC, feed.name, offer.id
    """

  private static let newest = """
    SELECT offer.offer_key, offer.image_url FROM offer
    WHERE \(OfferColumns.isCurrent) AND offer.image_url IS NOT NULL
      AND (offer.expires_at IS NULL OR offer.expires_at > $1)
    ORDER BY offer.offer_key DESC LIMIT $2
    """
}
