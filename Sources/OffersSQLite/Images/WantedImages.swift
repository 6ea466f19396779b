import GRDB
import OffersCore

/// The address of an offer's image, and the source of its feed.
package struct WantedImage: Hashable, Sendable {
  package let ref: OfferRef
  package let url: String
  /// The source of the feed.
  package let source: String
}

extension OffersDatabase {
  public func findSource(of feed: String) async throws -> String? {
    try await read {
      try String.fetchOne($0, sql: "SELECT source FROM feed WHERE name = ?", arguments: [feed])
    }
  }

  /// The images to prefetch, each once, at most as many as the cache holds: those of favorites,
  /// most recently starred first, then those of the newest offers.
  package func fetchWantedImages() async throws -> [WantedImage] {
    try await read { database in
      let limit = try CacheSlotTable.count(in: database)
      var seen: Set<String> = []
      let all =
        try Self.favoriteImages(in: database)
        + Self.newestImages(count: Self.newestFactor * limit, in: database)
      return Array(all.filter { seen.insert($0.url).inserted }.prefix(limit))
    }
  }

  private static func favoriteImages(in database: Database) throws -> [WantedImage] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT feed.name, offer.id, offer.image_url, feed.source
        FROM favorite
        JOIN feed ON feed.name = favorite.feed
        JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
        WHERE offer.image_url IS NOT NULL
        ORDER BY favorite.created_at DESC, feed.name, offer.id
        """
    ).map(wanted)
  }

  /// More offers than the cache holds images, because several may share an image.
  private static let newestFactor = 10
  private static let newestSQL = """
    SELECT feed.name, offer.id, offer.image_url, feed.source
    FROM offer JOIN feed USING (feed_key)
    WHERE offer.gone_at IS NULL AND offer.image_url IS NOT NULL
    ORDER BY offer.offer_key DESC LIMIT ?
    """

  private static func newestImages(
    count: Int, in database: Database
  ) throws -> [WantedImage] {
    try Row.fetchAll(database, sql: newestSQL, arguments: [count]).map(wanted)
  }

  private static func wanted(_ row: Row) -> WantedImage {
    WantedImage(
      ref: OfferRef(feed: row["name"], id: row["id"]), url: row["image_url"], source: row["source"])
  }
}
