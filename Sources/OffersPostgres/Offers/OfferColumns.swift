import Foundation
import OffersCore

/// The columns of an offer as a user sees it, and the conditions on offers, for queries over `offer` and
/// `feed`.
enum OfferColumns {
  /// The columns that `offer(_:)` reads. The parameter `$1` is the user.
  static let selection = """
    offer.offer_key, feed.name, offer.id, offer.name, offer.description, offer.terms,
    offer.reward_text, offer.reward_minor_units, offer.reward_currency,
    offer.reward_percent_hundredths, offer.reward_up_to, offer.image_url, offer.url, offer.retailer,
    offer.categories, offer.starts_at, offer.expires_at, offer.latitude, offer.longitude,
    offer.attributes, offer.first_seen_at, offer.changed_at, offer.gone_at, feed.shared,
    \(isFavorite)
    """

  /// The number of columns of `selection`.
  static let count = 25

  /// The tables of these queries.
  static let tables = "offer JOIN feed ON feed.feed_key = offer.feed_key"

  /// Whether an offer is a favorite of the user.
  static let isFavorite = """
    EXISTS (SELECT 1 FROM favorite WHERE favorite.user_key = $1 AND favorite.feed = feed.name
      AND favorite.id = offer.id)
    """

  /// Whether an offer is a favorite of any user.
  static let isStarred = """
    EXISTS (SELECT 1 FROM favorite AS star WHERE star.feed = feed.name AND star.id = offer.id)
    """

  /// The condition that an offer has a name, which the index `offer_by_name` finds.
  ///
  /// - Parameter name: an SQL expression.
  static func hasName(_ name: String) -> String {
    "left(offer.name, 64) = left(\(name), 64) AND offer.name = \(name)"
  }

  /// Whether an offer is in the lists of its feed: one that the feed has, or one that only a search on
  /// its server found and that somebody starred.
  static let isCurrent = """
    (offer.gone_at IS NULL AND (offer.found_at IS NULL OR \(isStarred)))
    """

  /// The key of the offer in a row.
  static func key(_ row: Row) -> Int64 { row.number(0) }

  /// The offer in the columns of `selection`.
  static func offer(_ row: Row) -> UserOffer {
    let own = row.findText(19).map(OfferAttribute.parse) ?? []
    let shared = row.findText(23).map(OfferAttribute.parse) ?? []
    let labels = shared.isEmpty ? [] : Set(own.map(\.label))
    let offer = Offer(
      ref: OfferRef(feed: row.text(1), offerID: row.text(2)), name: row.text(3),
      description: row.findText(4), terms: row.findText(5), reward: reward(row, from: 6),
      imageURLText: row.findText(11), urlText: row.findText(12), retailer: row.findText(13),
      categories: row.findText(14).map(JSONTexts.parse) ?? [], startsAt: row.findDate(15),
      expiresAt: row.findDate(16), latitude: row.findReal(17), longitude: row.findReal(18),
      attributes: own + shared.filter { !labels.contains($0.label) },
      firstSeenAt: row.date(20), changedAt: row.date(21), goneAt: row.findDate(22))
    return UserOffer(offer, isFavorite: row.flag(24))
  }

  /// The reward in five columns: text, minor units, currency, hundredths of a percent, up to.
  static func reward(_ row: Row, from column: Int) -> Reward? {
    guard let text = row.findText(column) else { return nil }
    var value: Reward.Value?
    if let units = row.findNumber(column + 1) {
      value = .amount(minorUnits: units, storedCurrency: row.text(column + 2))
    } else if let hundredths = row.findNumber(column + 3) {
      value = .percent(hundredths: hundredths)
    }
    return Reward(text: text, value: value, isUpTo: row.flag(column + 4))
  }
}
