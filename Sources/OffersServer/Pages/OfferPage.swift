import Foundation
import OffersCore

/// The page of one offer, with all of its fields and its reward history.
struct OfferPage {
  let source: PageSource
  let request: PageRequest

  /// The maximum number of points of the reward history on the page.
  private static let historyLimit = 1000
  private static let historyBytes = 256 << 10
  static let historyBounds = HistoryQuery(limit: historyLimit, maximumBytes: historyBytes)

  func page() async throws -> Page {
    let ref = try request.offerRef()
    guard let offer = try await source.store.findOffer(ref) else {
      throw OffersError(
        .notFound, "There is no offer “\(String(ref.description.prefix(80)))”.",
        hint: "Its feed may have removed it some time ago. Search for it by name.")
    }
    let points = try await source.store.fetchHistory(
      named: ref.description, Self.historyBounds
    ).points
    let settings = Settings(
      presentation: try await source.fetchPresentations()[ref.feed],
      feedTitle: try await source.fetchTitle(of: ref.feed),
      maps: source.content.maps, now: source.now)
    var page = Self.page(of: offer.offer, points, settings)
    page.fields.set(
      "offer",
      PageFields(card: offer, settings.presentation, at: settings.now, back: request.back))
    if let visitor = request.visitor, visitor.hasHousehold,
      let found = try await source.store.findHouseholdOffer(ref)
    {
      page.fields.set(
        "household",
        PageFields(sharing: found, by: visitor.user.id, back: request.back))
    }
    return page
  }

  /// The values besides the offer on which its page depends.
  struct Settings {
    /// How the offers of its feed are shown.
    let presentation: FeedPresentation
    /// The title of its feed.
    let feedTitle: String
    /// The means to draw the map of a place.
    let maps: MapSettings
    /// The time at which offers count as expired, and the end of the chart of the history.
    let now: Date
  }

  /// The page of an offer but for the card, whose star depends on the user.
  ///
  /// - Parameters:
  ///   - offer: the offer that the page describes.
  ///   - points: the history of its reward, oldest first.
  ///   - settings: the other values on which the page depends.
  static func page(of offer: Offer, _ points: [RewardPoint], _ settings: Settings) -> Page {
    let (presentation, now) = (settings.presentation, settings.now)
    let place = OfferLocationFields(maps: settings.maps)
    let value = presentation.valueText(of: offer)
    // The reward is the headline; a price is one detail of the product.
    let reward = presentation.valueRole == .reward ? value : nil
    var page = Page("offer", title: value.map { "\($0) – \(offer.name)" } ?? offer.name) { fields in
      fields.set("title", reward ?? offer.name)
      fields.set("hasAmount", reward != nil)
      fields.set(amountOf: reward, value: offer.reward?.value)
      fields.set("noun", presentation.noun.singular)
      fields.set("subtitle", reward == nil ? nil : offer.name)
      fields.set("byline", presentation.byline(of: offer).map(DayText.words))
      fields.set("price", reward == nil ? value : nil)
      fields.set("isPhoto", presentation.layout != .grid)
      fields.set("details", Self.paragraphs(offer.description))
      fields.set("terms", Self.paragraphs(offer.terms))
      fields.set("hasTerms", offer.terms != nil)
      fields.set("feedTitle", settings.feedTitle)
      fields.set("feedLink", PageLinks.feed(offer.ref.feed))
      let facts = Self.facts(of: offer, at: now)
      fields.set("facts", facts)
      fields.set("hasFacts", !facts.isEmpty || Coordinates(offer) != nil)
      fields.set("about", Self.about(offer, settings.feedTitle))
      fields.set("isPlace", Coordinates(offer) != nil)
      fields.set("largeImage", PageLinks.largeImage(of: offer))
      place.set(&fields, of: offer)
      if let link = PageLinks.outside(offer.urlText) {
        fields.set(
          "open",
          PageFields { open in
            open.set("openLink", link)
            open.set("openHost", PageLinks.host(link))
            open.set("openName", SiteName.of(link))
            open.set("frameLink", PageLinks.path("/web", [("url", link)]))
          })
      }
      if offer.state == .gone, let gone = offer.goneAt {
        fields.set("gone", PageFields { $0.set("goneAt", time: gone) })
      }
      if offer.isExpired(at: now), let end = offer.expiresAt {
        fields.set("expired", PageFields { $0.set("expiredAt", time: end) })
      }
      fields.set(
        "history",
        HistoryChart(
          points, presentation.valueRole, until: offer.goneAt ?? now)?.fields)
    }
    page.back = PageLinks.feed(offer.ref.feed)
    page.lifetime = .whileNoneExpires
    page.menuEntry = .offers
    if place.hasMap(offer) { page.openReach(for: settings.maps) }
    return page
  }

  /// The link to the list of all offers with this retailer or category (`name`); nil for a text
  /// that is too long for a URL.
  private static func filter(_ name: String, _ text: String?) -> String? {
    guard let text, text.utf8.count <= 500 else { return nil }
    return PageLinks.path("/", [(name, text)])
  }

  /// The lines of a text, without blank ones.
  private static func paragraphs(_ text: String?) -> [String] {
    (text ?? "").split(whereSeparator: \.isNewline).map { String($0) }
      .filter { !$0.allSatisfy(\.isWhitespace) }
  }

  /// The rows of an offer's table: its retailer, categories, times and attributes.
  private static func facts(of offer: Offer, at now: Date) -> [PageFields] {
    var facts: [PageFields] = []
    if let retailer = offer.retailer {
      facts.append(
        PageFields(
          fact: "Retailer", retailer, link: filter("retailer", retailer)))
    }
    // Many feeds repeat their categories as an attribute. The categories are shown with its label,
    // which is more precise, and the attribute itself is left out below.
    let joined = offer.categories.joined(separator: ", ")
    if !offer.categories.isEmpty {
      let label =
        offer.attributes.first { $0.value == joined }?.label
        ?? (offer.categories.count == 1 ? "Category" : "Categories")
      facts.append(
        PageFields { fact in
          fact.set("label", label)
          fact.set(
            "links",
            offer.categories.map { category in
              PageFields { link in
                link.set("text", category)
                link.set("link", Self.filter("category", category))
              }
            })
        })
    }
    facts += [
      PageFields(fact: "Starts", time: offer.startsAt),
      PageFields(fact: offer.isExpired(at: now) ? "Expired on" : "Expires", time: offer.expiresAt),
    ].compactMap(\.self)
    let shown = OfferLocationFields.shown(of: offer)
    for attribute in offer.attributes where attribute.value != joined {
      if shown.contains(attribute) { continue }
      facts.append(
        PageFields(
          fact: attribute.label, DayText.words(attribute.shownValue),
          link: PageLinks.phone(attribute) ?? PageLinks.outside(attribute.value)))
    }
    return facts
  }

  /// The rows below “About this offer”: its feed, its ID and when it was first seen.
  private static func about(_ offer: Offer, _ feedTitle: String) -> [PageFields] {
    [
      PageFields(fact: "Feed", feedTitle, link: PageLinks.feed(offer.ref.feed)),
      PageFields(fact: "ID", offer.ref.description),
      PageFields(fact: "First seen", time: offer.firstSeenAt),
      offer.changedAt == offer.firstSeenAt
        ? nil : PageFields(fact: "Last changed", time: offer.changedAt),
    ].compactMap(\.self)
  }
}

extension PageFields {
  /// A line of the details of an offer.
  fileprivate init(fact label: String, _ value: String, link: String? = nil) {
    self.init { fact in
      fact.set("label", label)
      fact.set("value", value)
      fact.set("link", link)
    }
  }

  /// A line of the details of an offer with a time; nil without one.
  fileprivate init?(fact label: String, time: Date?) {
    guard let time else { return nil }
    self.init { fact in
      fact.set("label", label)
      fact.set("moment", time: time)
    }
  }

  /// Sets a time as an object with `timeText`, for people, and `timeISO`, in ISO 8601; nil sets
  /// nothing.
  mutating func set(_ name: String, time: Date?) {
    guard let time else { return }
    set(
      name,
      PageFields { fields in
        fields.set("timeText", Units.time(time))
        fields.set(
          "timeISO", ISOTime.text(time.storedSeconds))
      })
  }
}
