import Foundation
import OffersCore

/// The columns of an offer as a user sees it, and the tables that have them.
package enum OfferColumns {
  /// The columns that `offer(_:)` reads, of `source(_:)`. The parameter `$1` is the user.
  package static func columns(_ dialect: Dialect) -> String {
    dialect == .sqlite ? sqliteColumns : postgresColumns
  }

  private static let sqliteColumns = makeColumns(.sqlite)
  private static let postgresColumns = makeColumns(.postgres)

  private static func makeColumns(_ dialect: Dialect) -> String {
    return """
      offer.offer_key, feed.name, offer.id, offer.name, offer.description, offer.terms,
      offer.reward_text, offer.reward_minor_units, offer.reward_currency,
      offer.reward_percent_hundredths, offer.reward_up_to, offer.image_url, offer.url,
      offer.retailer, offer.categories, offer.starts_at, offer.expires_at,
      offer.latitude, offer.longitude, offer.attributes, offer.first_seen_at,
      offer.changed_at, offer.gone_at, feed.shared, \(isFavorite)
      """
  }

  /// The number of columns of `columns(_:)`.
  package static let count = 25

  /// The tables of these queries.
  package static func source(_ dialect: Dialect) -> String {
    "offer JOIN feed ON feed.feed_key = offer.feed_key"
  }

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

  /// The key of the offer in a row of `columns(_:)`.
  package static func key(_ row: any SQLRow) -> Int64 { row.number(0) }

  /// The offer in a row of `columns(_:)`.
  package static func offer(_ row: any SQLRow) -> UserOffer {
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
  package static func reward(_ row: any SQLRow, from column: Int) -> Reward? {
    guard let text = row.findText(column) else { return nil }
    var value: Reward.Value?
    if let units = row.findNumber(column + 1), let currency = row.findText(column + 2) {
      value = .amount(minorUnits: units, storedCurrency: currency)
    } else if let hundredths = row.findNumber(column + 3) {
      value = .percent(hundredths: hundredths)
    }
    return Reward(text: text, value: value, isUpTo: row.flag(column + 4))
  }
}
