import Foundation
import OffersCore

extension LostFavorites {
  package init(of user: User.ID, in transaction: any Transaction) throws {
    self.init()
    let rows = try transaction.rows(
      """
      SELECT favorite.feed, favorite.id, offer.name, offer.description, offer.gone_at
      FROM \(OfferColumns.favoriteSource)
      WHERE favorite.user_key = $1 AND offer.gone_at IS NOT NULL
      ORDER BY favorite.feed, favorite.id
      """, [.number(user)]
    ) { ($0.text(0), $0.text(1), $0.text(2), $0.findText(3), $0.date(4)) }
    for (feed, id, name, description, goneAt) in rows {
      add(OfferRef(feed: feed, offerID: id), name: name, description: description, goneAt: goneAt)
    }
  }

  /// The offer that probably replaces a gone favorite: a current one of the same feed, name and
  /// description that is no favorite, and was first seen after the favorite and at most
  /// `successorSeconds` before the favorite vanished.
  ///
  /// When all ids of a feed change, its removals are held back for a while, so the new offers
  /// come first. `find(_:)` recognizes an offer that comes after the favorite vanished.
  package static func successor(
    of favorite: UserOffer, user: User.ID, in transaction: any Transaction
  ) throws -> OfferRef? {
    guard let goneAt = favorite.goneAt else { return nil }
    // SQLite has no index on names. It reads the offers in their order then.
    let feedKey = transaction.dialect.unindexed("offer.feed_key")
    return try transaction.first(
      """
      SELECT offer.id FROM feed JOIN offer ON \(feedKey) = feed.feed_key
      WHERE feed.name = $2 AND \(OfferColumns.hasName("$3"))
        AND offer.description IS NOT DISTINCT FROM $4 AND \(OfferColumns.isCurrent)
        AND offer.first_seen_at > $5 AND offer.first_seen_at >= $6 AND offer.first_seen_at < $7
        AND NOT \(OfferColumns.isFavorite)
      ORDER BY offer.offer_key LIMIT 1
      """,
      [
        .number(user), .text(favorite.ref.feed), .text(favorite.name),
        .text(favorite.description), .date(favorite.firstSeenAt),
        .number(goneAt.storedSeconds - successorSeconds), .date(goneAt),
      ]
    ) { OfferRef(feed: favorite.ref.feed, offerID: $0.text(0)) }
  }

  /// The new offers of a feed that are probably returned favorites of a user, up to the limit.
  /// Offers with a larger key than `lastKey` are new.
  package static func returned(
    of user: User.ID, to feed: String, feedKey: Int64, after lastKey: Int64,
    in transaction: any Transaction
  ) throws -> [FavoriteSuccessor] {
    let favorites = try LostFavorites(of: user, in: transaction)
    let names = favorites.names(in: feed)
    if names.isEmpty { return [] }
    var found: [FavoriteSuccessor] = []
    // The sum keeps the engine from an index on feeds: the new offers are few.
    try transaction.scan(
      """
      SELECT id, name, description FROM offer
      WHERE offer_key > $1 AND feed_key + 0 = $2
        AND \(transaction.dialect.isElement("name", of: "$3"))
      ORDER BY offer_key
      """, [.number(lastKey), .number(feedKey), .texts(names)]
    ) { row in
      let returned = favorites.findReturned(
        OfferRef(feed: feed, offerID: row.text(0)), name: row.text(1), description: row.findText(2))
      if let returned { found.append(returned) }
      return found.count < returnedLimit
    }
    return found
  }
}

extension OfferColumns {
  /// A condition that an offer has a name. It repeats the expression of PostgreSQL's index `offer_by_name`.
  ///
  /// - Parameter name: an SQL expression.
  static func hasName(_ name: String) -> String {
    "substr(offer.name, 1, 64) = substr(\(name), 1, 64) AND offer.name = \(name)"
  }
}
