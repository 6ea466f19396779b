import Foundation
import OffersCore

extension PageFields {
  /// The maximum length of a name within an accessible label, in characters.
  private static let spokenCharacters = 80

  /// The fields of an offer's card for a user: with that user's star.
  ///
  /// - Parameters:
  ///   - offer: the offer that the card shows and links to.
  ///   - presentation: how the offers of its feed are shown.
  ///   - now: the time at which the offer counts as expired.
  ///   - back: the path to which the star's form redirects.
  ///   - feedTitle: see the card without a star.
  init(
    card offer: UserOffer, _ presentation: FeedPresentation, at now: Date, back: String,
    feedTitle: String? = nil
  ) {
    self.init(card: offer.offer, presentation, at: now, feedTitle: feedTitle)
    set("isFavorite", offer.isFavorite)
    set("starTo", offer.isFavorite ? "0" : "1")
    set("back", back)
  }

  /// The fields of an offer's card that are the same for all users.
  ///
  /// - Parameters:
  ///   - offer: the offer that the card shows and links to.
  ///   - presentation: how the offers of its feed are shown.
  ///   - now: the time at which the offer counts as expired.
  ///   - feedTitle: the headline of an offer without a reward and without a retailer; nil for the
  ///     name of the feed.
  init(
    card offer: Offer, _ presentation: FeedPresentation, at now: Date, feedTitle: String? = nil
  ) {
    self.init { fields in
      let value = presentation.valueText(of: offer)
      fields.set("ref", offer.ref.description)
      fields.set("href", PageLinks.offer(offer.ref))
      fields.set("name", offer.name)
      fields.set("spokenName", String(offer.name.prefix(Self.spokenCharacters)))
      fields.set("headline", value ?? offer.retailer ?? feedTitle ?? offer.ref.feed)
      fields.set("reward", value)
      fields.set(amountOf: value, value: offer.reward?.value)
      fields.set("ends", offer.expiresAt.map { end in PageFields { $0.set("endsAt", time: end) } })
      fields.set("byline", presentation.byline(of: offer).map(DayText.words))
      fields.set("isGone", offer.state == .gone)
      fields.set("isExpired", offer.isExpired(at: now))
      fields.set("image", PageLinks.thumbnail(of: offer))
      fields.set("initial", Self.initial(of: offer.name))
      fields.set("hue", Self.hue(of: offer.name))
    }
  }

  /// Adds the further fields that some layouts of feeds show on a card, such as the description.
  mutating func describe(_ offer: Offer, _ presentation: FeedPresentation) {
    let attributes = Dictionary(
      offer.attributes.map { ($0.label.lowercased(), $0.shownValue) },
      uniquingKeysWith: { one, _ in one })
    let genre = offer.categories.first ?? attributes["genre"]
    set("description", offer.description)
    set("category", offer.categories.first)
    let byline = presentation.byline(of: offer)
    set("artist", byline ?? attributes["artist"] ?? attributes["author"] ?? offer.retailer)
    let released = attributes["released"] ?? attributes["published"]
    set("released", released == byline ? nil : released.map(DayText.words))
    set("genre", genre)
    set("rating", attributes["rating"])
    set("address", attributes["address"])
    setPlace(of: offer)
  }

  /// Adds the coordinates of an offer, if it has any.
  mutating func setPlace(of offer: Offer) {
    guard let coordinates = Coordinates(offer) else { return }
    set(
      "place",
      PageFields { $0.set(coordinates) })
  }

  /// Sets the variables of coordinates.
  mutating func set(_ coordinates: Coordinates) {
    set("latitude", coordinates.latitudeText)
    set("longitude", coordinates.longitudeText)
    set("coordinates", coordinates.text)
  }

  /// The placeholder for an image: the first letter or digit of a name, or a bullet.
  static func initial(of name: String) -> String {
    name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "•"
  }

  /// The number of the placeholder's color, from 0 to 5, derived from the name.
  static func hue(of name: String) -> Int {
    var hash = ContentHash(seed: 1)
    var name = name
    name.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
    return Int(hash.value % 6)
  }
}

extension FeedPresentation {
  /// The reward of an offer as printed, or its price with the word for it; nil without either.
  func valueText(of offer: Offer) -> String? { offer.reward.map { valueText($0) } }

  func valueText(_ value: Reward) -> String {
    valueRole == .price ? "Price \(value.text)" : value.text
  }
}
