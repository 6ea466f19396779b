import Foundation
import OffersCore

/// The columns of an offer as a user sees it, and the tables that have them.
package enum OfferColumns {
  /// The columns that `offer(_:)` reads, of `source`. The parameter `$1` is the user.
  package static let columns = """
    offer.offer_key, feed.name, \(OfferField.columns), \(OfferField.exactReward),
    offer.first_seen_at, offer.changed_at, offer.gone_at, feed.shared, \(isFavorite),
    EXISTS (SELECT 1 FROM missing_offer AS missing
      WHERE missing.offer_key = offer.offer_key AND missing.is_older)
    """

  /// The number of the column of the first field.
  private static let firstField = 2
  private static let firstReward = firstField + OfferField.count
  private static let firstTime = firstReward + OfferField.rewardColumns.count

  /// The number of the columns.
  package static let count = firstTime + 6

  /// The tables of these queries.
  package static let source = "offer JOIN feed ON feed.feed_key = offer.feed_key"

  /// The tables of `source` behind the favorites whose offers are stored, once for each user who starred
  /// them.
  static let favoriteSource = """
    favorite JOIN feed ON feed.name = favorite.feed
    JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
    """

  /// The tables of these queries for some references, which are the parameters from `$first` on.
  static func source(
    of refs: [OfferRef], first: Int, _ dialect: Dialect
  ) -> (sql: String, values: [SQLValue]) {
    let wanted = dialect.table(refs, as: "wanted", first: first)
    return (
      """
      \(wanted.sql)
      JOIN feed ON feed.name = wanted.feed
      JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = wanted.id
      """, wanted.values
    )
  }

  /// Whether an offer is a favorite of the user.
  package static let isFavorite = """
    EXISTS (SELECT 1 FROM favorite WHERE favorite.user_key = $1 AND favorite.feed = feed.name
      AND favorite.id = offer.id)
    """

  /// The key of the offer in a row of `columns`.
  package static func key(_ row: any SQLRow) -> Int64 { row.number(0) }

  /// The offer in a row of `columns`.
  package static func offer(_ row: any SQLRow) -> UserOffer {
    func place(_ field: OfferField) -> Int { firstField + field.rawValue }
    func text(_ field: OfferField) -> String? { row.findText(place(field)) }
    let own = text(.attributes).map(OfferAttribute.parse) ?? []
    let shared = row.findText(firstTime + 3).map(OfferAttribute.parse) ?? []
    let labels = shared.isEmpty ? [] : Set(own.map(\.label))
    var offer = Offer(
      ref: OfferRef(feed: row.text(1), offerID: text(.id) ?? ""), name: "",
      reward: OfferField.reward(row, text: place(.reward), value: firstReward),
      categories: text(.categories).map(JSONTexts.parse) ?? [],
      startsAt: row.findDate(place(.startsAt)), expiresAt: row.findDate(place(.expiresAt)),
      latitude: row.findReal(place(.latitude)), longitude: row.findReal(place(.longitude)),
      attributes: own + shared.filter { !labels.contains($0.label) },
      firstSeenAt: row.date(firstTime), changedAt: row.date(firstTime + 1),
      goneAt: row.findDate(firstTime + 2))
    offer.isOlder = row.flag(firstTime + 5)
    for field in OfferField.texts { offer[field] = text(field) }
    return UserOffer(offer, isFavorite: row.flag(firstTime + 4))
  }
}

/// Conditions on offers.
extension OfferColumns {
  /// Whether an offer is a favorite of any user, for queries over `OfferColumns.source`.
  package static let isStarred = """
    EXISTS (SELECT 1 FROM favorite AS star WHERE star.feed = feed.name AND star.id = offer.id)
    """

  /// Whether an offer is in the lists of its feed: one that the feed has, or one that only a search on
  /// its server found and that somebody starred. The query may be over `offer` alone.
  package static let isCurrent = """
    (offer.gone_at IS NULL AND (offer.found_at IS NULL OR EXISTS (
      SELECT 1 FROM feed AS home JOIN favorite AS star ON star.feed = home.name
      WHERE home.feed_key = offer.feed_key AND star.id = offer.id)))
    """
}
