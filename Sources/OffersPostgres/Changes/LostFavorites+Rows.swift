import Foundation
import OffersCore
import OffersStore

extension LostFavorites {
  init(of user: User.ID, in connection: Connection) throws {
    self.init()
    let rows = try connection.rows(
      """
      SELECT favorite.feed, favorite.id, offer.name, offer.description, offer.gone_at
      FROM favorite JOIN feed ON feed.name = favorite.feed
      JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
      WHERE favorite.user_key = $1 AND offer.gone_at IS NOT NULL
      ORDER BY favorite.feed, favorite.id
      """, [.number(user)])
    for row in rows.map({ $0 }) {
      add(
        OfferRef(feed: row.text(0), offerID: row.text(1)), name: row.text(2),
        description: row.findText(3), goneAt: row.date(4))
    }
  }

  /// The offer that probably replaces a gone favorite: a current one of the same feed, name and
  /// description that is no favorite, and was first seen after the favorite and at most
  /// `successorSeconds` before the favorite vanished.
  ///
  /// When all ids of a feed change, its removals are held back for a while, so the new offers
  /// come first. `find(_:)` recognizes an offer that comes after the favorite vanished.
  static func successor(
    of favorite: UserOffer, user: User.ID, in connection: Connection
  ) throws -> OfferRef? {
    guard let goneAt = favorite.goneAt else { return nil }
    let row = try connection.rows(
      """
      SELECT offer.id FROM \(OfferColumns.tables)
      WHERE feed.name = $2 AND \(OfferColumns.hasName("$3"))
        AND offer.description IS NOT DISTINCT FROM $4 AND \(OfferColumns.isCurrent)
        AND offer.first_seen_at > $5 AND offer.first_seen_at >= $6 AND offer.first_seen_at < $7
        AND NOT \(OfferColumns.isFavorite)
      ORDER BY offer.offer_key LIMIT 1
      """,
      [
        .number(user), .text(favorite.ref.feed), .text(favorite.name),
        favorite.description.map { .text($0) } ?? .text(nil as String?),
        .date(favorite.firstSeenAt), .number(goneAt.storedSeconds - successorSeconds),
        .date(goneAt),
      ]
    ).first
    return row.map { OfferRef(feed: favorite.ref.feed, offerID: $0.text(0)) }
  }

  /// The new offers of a feed that are probably returned favorites of a user, up to the limit.
  /// Offers with a larger key than `lastKey` are new.
  static func returned(
    of user: User.ID, to feed: String, feedKey: Int64, after lastKey: Int64,
    in connection: Connection
  ) throws -> [ReturnedFavorite] {
    let favorites = try LostFavorites(of: user, in: connection)
    let names = favorites.names(in: feed)
    if names.isEmpty { return [] }
    let new = try connection.rows(
      """
      SELECT id, name, description FROM offer
      WHERE offer_key > $1 AND feed_key = $2 AND name = ANY($3) ORDER BY offer_key
      """,
      [.number(lastKey), .number(feedKey), .texts(names)])
    var found: [ReturnedFavorite] = []
    for row in new.map({ $0 }) where found.count < returnedLimit {
      let returned = favorites.findReturned(
        OfferRef(feed: feed, offerID: row.text(0)), name: row.text(1), description: row.findText(2))
      if let returned { found.append(returned) }
    }
    return found
  }
}
