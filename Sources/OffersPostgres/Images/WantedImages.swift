import Foundation
import OffersCore
import OffersStore

/// The offers whose images are fetched ahead.
enum WantedImages {
  /// More offers than the cache holds images, because several may share an image.
  private static let newestFactor: Int64 = 10

  /// The favorites of any user, most recently starred first, then the newest offers: at most as many
  /// as the cache holds images, and no two with the same image.
  static func offers(in connection: Connection) throws -> [Offer] {
    let limit = try ImageTable.limit(in: PostgresTransaction(connection))
    let rows =
      try connection.rows(favoritesSQL, [.number(User.ownerID)]).map(OfferColumns.offer)
      + connection.rows(
        newestSQL,
        [.number(User.ownerID), .date(Date()), .number(newestFactor * Int64(limit))]
      ).map(OfferColumns.offer)
    var seen: Set<String> = []
    var wanted: [Offer] = []
    for row in rows where wanted.count < limit {
      if let url = row.offer.imageURLText, seen.insert(url).inserted { wanted.append(row.offer) }
    }
    return wanted
  }

  private static let favoritesSQL = """
    SELECT \(OfferColumns.selection)
    FROM (SELECT feed, id, max(created_at) AS created_at FROM favorite GROUP BY feed, id) AS starred
    JOIN feed ON feed.name = starred.feed
    JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = starred.id
    WHERE offer.image_url IS NOT NULL
    ORDER BY starred.created_at DESC, feed.name, offer.id
    """

  private static let newestSQL = """
    SELECT \(OfferColumns.selection) FROM \(OfferColumns.tables)
    WHERE offer.gone_at IS NULL AND offer.image_url IS NOT NULL
      AND (offer.expires_at IS NULL OR offer.expires_at > $2)
    ORDER BY offer.offer_key DESC LIMIT $3
    """
}
