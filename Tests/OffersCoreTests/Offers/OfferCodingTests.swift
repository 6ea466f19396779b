import Foundation
import OffersCore
import Testing

@Suite("Coded offers")
struct OfferCodingTests {
  /// Texts that are equal to others as characters, are no URL, or need escapes.
  private static let odd = [
    "e\u{301}", "\u{E9}", "\r\n", "\u{0}", "\u{2028}\"\\/", "🧑🏽‍🌾🇩🇪1\u{FE0F}\u{20E3}", "مُحَمَّد\u{202E}",
    "\u{FEFF}a", "\u{301}", " ", "https://x.example/a b/%zz?é#\\",
  ]

  private static func offer(_ text: String) -> Offer {
    var offer = Offer(
      ref: OfferRef(feed: "a-1", offerID: text), name: text, description: text, terms: text,
      reward: Reward(text: text, value: .amount(minorUnits: .max, currency: "JPY"), isUpTo: true),
      retailer: text, categories: [text, "", text],
      startsAt: Date(timeIntervalSince1970: -1), expiresAt: Date(timeIntervalSince1970: 4e9),
      latitude: 52.52000659999999, longitude: -0.1,
      attributes: [OfferAttribute(label: text, value: text), OfferAttribute(label: "", value: "")],
      firstSeenAt: Date(timeIntervalSince1970: 0.1),
      changedAt: Date(timeIntervalSince1970: 1_700_000_000), goneAt: Date(timeIntervalSince1970: 9))
    offer.imageURLText = text
    offer.urlText = text
    return offer
  }

  private static let bare = Offer(
    ref: OfferRef(feed: "f", offerID: "a:b"), name: "B",
    firstSeenAt: Date(timeIntervalSince1970: 1), changedAt: Date(timeIntervalSince1970: 2))

  /// All texts of an offer.
  private static func texts(_ offer: Offer) -> [String?] {
    [
      offer.ref.feed, offer.ref.offerID, offer.name, offer.description, offer.terms,
      offer.reward?.text, offer.imageURLText, offer.urlText, offer.retailer,
    ] + offer.categories + offer.attributes.flatMap { [$0.label, $0.value] }
  }

  private static func expectSame(_ found: Offer, _ offer: Offer) {
    #expect(found == offer)
    for (found, text) in zip(texts(found), texts(offer)) {
      #expect(found.map { Array($0.utf8) } == text.map { Array($0.utf8) })
    }
  }

  @Test("an offer that is encoded and decoded is the same, byte for byte")
  func keepsEverything() throws {
    let offers = Self.odd.map(Self.offer) + [Self.bare]
    let json = try JSONDecoder().decode([Offer].self, from: JSONEncoder().encode(offers))
    #expect(json.count == offers.count)
    for (found, offer) in zip(json, offers) { Self.expectSame(found, offer) }
    // Property lists hold no U+0000 and no such line breaks.
    let plain = [Self.offer("Tea é"), Self.bare]
    let list = try PropertyListDecoder().decode(
      [Offer].self, from: PropertyListEncoder().encode(plain))
    for (found, offer) in zip(list, plain) { Self.expectSame(found, offer) }
  }

  @Test("the view of an offer for a user keeps the offer and the mark")
  func keepsViews() throws {
    let views = [UserOffer(Self.offer("Tea é"), isFavorite: true), UserOffer(Self.bare)]
    let found = try JSONDecoder().decode([UserOffer].self, from: JSONEncoder().encode(views))
    #expect(found == views)
    #expect(found.map(\.isFavorite) == [true, false])
  }

  @Test("every kind of reward is coded exactly")
  func keepsRewards() throws {
    let rewards = [
      Reward(text: "Free"), Reward(text: "", value: .percent(hundredths: .min)),
      Reward(text: "5%", value: .percent(hundredths: 500), isUpTo: true),
      Reward(text: "$1", value: .amount(minorUnits: 100, currency: "USD")),
    ]
    let data = try JSONEncoder().encode(rewards)
    #expect(try JSONDecoder().decode([Reward].self, from: data) == rewards)
  }

  @Test("an offer is identified by its reference, and not by its id in the feed")
  func isIdentified() {
    let other = Offer(
      ref: OfferRef(feed: "g", offerID: "a:b"), name: "B", firstSeenAt: Self.bare.firstSeenAt,
      changedAt: Self.bare.changedAt)
    #expect(Self.bare.id == Self.bare.ref)
    #expect(Self.bare.id != other.id)
  }

  @Test("an offer without its reference, its name or its times is refused")
  func refusesIncomplete() throws {
    let data = try JSONEncoder().encode(Self.bare)
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    for key in ["ref", "name", "firstSeenAt", "changedAt"] {
      var object = object
      #expect(object.removeValue(forKey: key) != nil)
      let data = try JSONSerialization.data(withJSONObject: object)
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(Offer.self, from: data) }
    }
  }
}
