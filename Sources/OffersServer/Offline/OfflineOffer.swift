import Foundation
import OffersCore

/// An offer as browsers store it: the variables of its card and of its page, and the keys by which
/// lists filter, sort and search.
///
/// The variables are those of the pages, so that a page that a browser makes has the same content.
/// The parts that depend on a user, the star and the way back, are left out: the browser adds them.
struct OfflineOffer {
  private let offer: Offer
  private let settings: OfferPage.Settings
  /// The offer without the history of its reward, as the members of a JSON object.
  private let members: JSONWriter
  /// A hash of all members but the history and the news, which change only together with another member.
  let hash: String

  init(_ offer: Offer, _ settings: OfferPage.Settings) {
    self.offer = offer
    self.settings = settings
    members = Self.members(of: offer, settings)
    var hash = ContentHash(seed: 3)
    members.bytes.withUnsafeBytes { hash.combine($0) }
    self.hash = String(hash.value >> 20, radix: 36)
  }

  /// The size without the history, in bytes.
  var bytes: Int { members.bytes.count }

  /// Writes the offer as a JSON object.
  ///
  /// - Parameters:
  ///   - points: the history of the offer's reward, oldest first.
  ///   - news: the recent news of the offer, which do not count in the hash: they come with a change
  ///     of another member, and age in the browser.
  func write(to json: inout JSONWriter, _ points: [RewardPoint], _ news: GoodNewsLabels) {
    json.object { json in
      json.member("hash", hash)
      if let fields = news.fields(of: offer.ref, settings.presentation) {
        json.member("news") { fields.write(to: &$0) }
      }
      Self.write(offer, points, settings, to: &json)
    }
  }

  private static func members(of offer: Offer, _ settings: OfferPage.Settings) -> JSONWriter {
    var json = JSONWriter(capacity: 2 << 10)
    json.object { write(offer, [], settings, to: &$0) }
    return json
  }

  private static func write(
    _ offer: Offer, _ points: [RewardPoint], _ settings: OfferPage.Settings,
    to json: inout JSONWriter
  ) {
    let (presentation, now) = (settings.presentation, settings.now)
    let short = offer.abridged(toBytes: ListSelection.textBytes)
    var card = PageFields(card: short, presentation, at: now, feedTitle: settings.feedTitle)
    card.describe(short, presentation)
    var page = OfferPage.page(of: offer, points, settings)
    // The page shows the whole texts that the card has truncated.
    if short != offer {
      page.fields.set("offer", PageFields(card: offer, presentation, at: now))
    }
    json.member("ref", offer.ref.description)
    json.member("feed", offer.ref.feed)
    json.member("retailer", offer.retailer)
    json.member("categories", each: offer.categories) { $0.value($1) }
    json.member("name_key", NaturalOrder.key(offer.name).hexadecimal)
    json.member("retailer_key", offer.retailer.map(NaturalOrder.folded))
    json.member("category_keys", each: offer.categories.map(NaturalOrder.folded)) { $0.value($1) }
    json.member("attributes", each: offer.attributes) { json, attribute in
      json.array { json in
        json.value(attribute.label)
        json.value(attribute.value)
      }
    }
    json.member("reward", each: OfferPosition(of: offer, in: OfferQuery(sort: .reward)).values) {
      json, value in
      switch value {
      case .none: json.null()
      case .number(let number): json.value(number)
      case .text(let text): json.value(text)
      }
    }
    json.member("is_priced", presentation.valueRole == .price)
    json.member("first_seen", offer.firstSeenAt.storedSeconds)
    json.member("expires", offer.expiresAt?.storedSeconds)
    json.member("card") { card.write(to: &$0) }
    json.member("title", page.title)
    json.member("back", page.back)
    json.member("page") { page.fields.write(to: &$0) }
  }
}
