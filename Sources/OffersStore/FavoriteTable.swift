import GRDB
import OffersCore

/// The SQL that marks favorites.
enum FavoriteTable {
  static let insertSQL =
    "INSERT INTO favorite (feed, id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
  static let deleteSQL = "DELETE FROM favorite WHERE feed = ? AND id = ?"

  /// Returns whether the mark was not there before.
  static func insert(_ ref: OfferRef, at seconds: Int64, in database: Database) throws -> Bool {
    try database.execute(sql: insertSQL, arguments: [ref.feed, ref.id, seconds])
    return database.changesCount > 0
  }

  /// Returns whether the mark was there before.
  static func delete(_ ref: OfferRef, in database: Database) throws -> Bool {
    try database.execute(sql: deleteSQL, arguments: [ref.feed, ref.id])
    return database.changesCount > 0
  }
}

extension FavoriteTable {
  /// Most returned favorites that a run tells of.
  private static let returnedLimit = 20

  /// Favorites that are gone from the feed, with the new offers that have their name and
  /// description.
  ///
  /// - Parameter lastKey: offers behind it are new.
  static func returned(
    to feed: String, feedKey: Int64, after lastKey: Int64, in database: Database
  ) throws -> [ReturnedFavorite] {
    let gone = try Row.fetchAll(
      database,
      sql: """
        SELECT offer.id, offer.name, offer.description FROM favorite
        JOIN offer ON offer.feed_key = ?1 AND offer.id = favorite.id
        WHERE favorite.feed = ?2 AND offer.gone_at IS NOT NULL
        ORDER BY offer.offer_key
        """, arguments: [feedKey, feed])
    if gone.isEmpty { return [] }
    var favorites: [NameAndDescription: String] = [:]
    for row in gone {
      favorites[NameAndDescription(name: row["name"], description: row["description"])] = row["id"]
    }
    let new = try Row.fetchCursor(
      database,
      sql: """
        SELECT id, name, description FROM offer
        WHERE offer_key > ?1 AND +feed_key = ?2 ORDER BY offer_key
        """, arguments: [lastKey, feedKey])
    var found: [ReturnedFavorite] = []
    while found.count < returnedLimit, let row = try new.next() {
      let key = NameAndDescription(name: row["name"], description: row["description"])
      guard let id = favorites[key] else { continue }
      found.append(
        ReturnedFavorite(
          favorite: OfferRef(feed: feed, id: id), offer: OfferRef(feed: feed, id: row["id"]),
          name: key.name))
    }
    return found
  }

  private struct NameAndDescription: Hashable {
    let name: String
    let description: String?
  }
}
