import Foundation
import GRDB
import OffersCore
import OffersStore

extension OffersDatabase {
  /// The offers whose images a user is most likely to look at, to fetch them ahead: favorites, most
  /// recently starred first, then the newest offers.
  ///
  /// - Returns: as many offers as the image cache holds images, at most. Each has an image URL, and
  ///   no two have the same.
  /// - Throws: `OffersError` with `storageFailed`; `CancellationError`.
  public func fetchOffersWithWantedImages() async throws -> [Offer] {
    try await read { [user] database in
      let limit = try ImageTable.limit(in: SQLiteTransaction(database))
      var seen: Set<String> = []
      let images =
        try Row.fetchAll(database, sql: Self.favoriteImagesSQL)
        + Row.fetchAll(
          database, sql: Self.newestImagesSQL,
          arguments: [Date().storedSeconds, Self.newestFactor * limit])
      let keys: [Int64] = images.filter { seen.insert($0["image_url"]).inserted }
        .prefix(limit).map { $0["offer_key"] }
      return try OfferTable.list(keys: keys, of: user, in: database).map(\.offer)
    }
  }

  /// More offers than the cache holds images, because several may share an image.
  private static let newestFactor = 10

  private static let favoriteImagesSQL = """
    SELECT offer.offer_key, offer.image_url
    FROM (SELECT feed, id, max(created_at) AS created_at FROM favorite GROUP BY feed, id) AS favorite
    JOIN feed ON feed.name = favorite.feed
    JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
    WHERE offer.image_url IS NOT NULL
    ORDER BY favorite.created_at DESC, feed.name, offer.id
    """

  private static let newestImagesSQL = """
    SELECT offer_key, image_url FROM offer
    WHERE gone_at IS NULL AND image_url IS NOT NULL
      AND NOT EXISTS (
        SELECT 1 FROM offer_detail AS detail
        WHERE detail.offer_key = offer.offer_key AND detail.expires_at <= ?)
    ORDER BY offer_key DESC LIMIT ?
    """
}
