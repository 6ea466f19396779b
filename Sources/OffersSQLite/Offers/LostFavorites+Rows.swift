import Foundation
import GRDB
import OffersCore
import OffersStore

extension LostFavorites {
  init(of user: User.ID, in database: Database) throws {
    self.init()
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT favorite.feed, favorite.id, offer.name, offer.description, offer.gone_at
        FROM \(FavoriteQuery.rows(of: user))
        CROSS JOIN feed ON feed.name = favorite.feed
        CROSS JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
        WHERE offer.gone_at IS NOT NULL ORDER BY favorite.feed, favorite.id
        """)
    while let row = try rows.next() {
      add(
        OfferRef(feed: row["feed"], offerID: row["id"]), name: row["name"],
        description: row["description"], goneAt: Date(storedSeconds: row["gone_at"]))
    }
  }

  /// The offer that probably replaces a gone favorite: a current one of the same feed, name and
  /// description that is no favorite, and was first seen after the favorite and at most
  /// `successorSeconds` before the favorite vanished.
  ///
  /// When all ids of a feed change, its removals are held back for a while, so the new offers
  /// come first. `find(_:)` recognizes an offer that comes after the favorite vanished.
  static func successor(
    of favorite: UserOffer, user: User.ID, in database: Database
  ) throws -> OfferRef? {
    guard let goneAt = favorite.goneAt else { return nil }
    let id = try String.fetchOne(
      database,
      sql: """
        SELECT offer.id FROM offer
        WHERE offer.feed_key = (SELECT feed_key FROM feed WHERE name = ?1)
          AND +offer.name = ?2 AND offer.description IS ?3 AND offer.gone_at IS NULL
          AND offer.first_seen_at > ?4 AND offer.first_seen_at >= ?5 AND offer.first_seen_at < ?6
          AND NOT EXISTS (
            SELECT 1 FROM favorite
            WHERE favorite.user_key = ?7 AND favorite.feed = ?1 AND favorite.id = offer.id)
        ORDER BY offer.offer_key LIMIT 1
        """,
      arguments: [
        favorite.ref.feed, favorite.name, favorite.description,
        favorite.firstSeenAt.storedSeconds,
        goneAt.storedSeconds - successorSeconds,
        goneAt.storedSeconds, user,
      ])
    return id.map { OfferRef(feed: favorite.ref.feed, offerID: $0) }
  }

  /// The new offers of a feed that are probably returned favorites of a user, up to the limit.
  /// Offers with a larger key than `lastKey` are new.
  static func returned(
    of user: User.ID, to feed: String, feedKey: Int64, after lastKey: Int64, in database: Database
  ) throws -> [ReturnedFavorite] {
    let lost = try LostFavorites(of: user, in: database)
    if lost.isEmpty { return [] }
    let new = try Row.fetchCursor(
      database,
      sql: """
        SELECT id, name, description FROM offer
        WHERE offer_key > ?1 AND +feed_key = ?2 ORDER BY offer_key
        """, arguments: [lastKey, feedKey])
    var found: [ReturnedFavorite] = []
    while found.count < returnedLimit, let row = try new.next() {
      let returned = lost.findReturned(
        OfferRef(feed: feed, offerID: row["id"]), name: row["name"], description: row["description"]
      )
      if let returned { found.append(returned) }
    }
    return found
  }
}
