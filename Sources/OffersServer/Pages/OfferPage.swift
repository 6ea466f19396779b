import Foundation
import OffersCore

/// The page of one offer, with all of its fields and its reward history.
struct OfferPage {
  let content: ServerDependencies
  let request: PageRequest

  /// The maximum number of points of the reward history on the page.
  private static let historyLimit = 1000
  private static let historyBytes = 256 << 10
  static let historyBounds = HistoryQuery(limit: historyLimit, maximumBytes: historyBytes)

  func page() async throws -> Page {
    let ref = try OfferRef(named: request.name)
    guard let offer = try await content.store.findOffer(ref) else {
      throw OffersError(
        .notFound, "There is no offer “\(String(ref.description.prefix(80)))”.",
        hint: "Its feed may have removed it some time ago. Search for it by name.")
    }
    let points = try await content.store.fetchHistory(
      named: ref.description, Self.historyBounds
    ).points
    let settings = Settings(
      presentation: try await content.fetchPresentations()[ref.feed],
      feedTitle: try await content.fetchTitle(of: ref.feed),
      maps: content.maps, now: content.now())
    let role = settings.presentation.valueRole
    var bounds: [WatchBound] = []
    if let value = points.last(where: { $0.reward?.value != nil })?.reward?.value {
      bounds = try await content.store.fetchWatches(
        concerning: ref, now: settings.now, content.texts
      ).flatMap { $0.bounds(in: value, role, content.texts) }
    }
    var page = Self.page(of: offer.offer, points, settings, bounds, content.texts)
    var card = PageFields(
      card: offer, settings.presentation, at: settings.now, back: request.back)
    card.set(try await content.store.fetchPictureColors(of: [offer.offer]), of: offer.offer)
    page.fields.set("offer", card)
    let hidings = try await content.store.fetchHidings()
    let isHidden = !offer.isFavorite && hidings.contains { $0.subject == .offer(ref) }
    page.fields.set(
      "hiding",
      [
        "hidingRef": ref.description, "isHidden": isHidden, "hideTo": isHidden ? "0" : "1",
        "back": request.back,
      ])
    if let visitor = request.visitor, visitor.hasHousehold,
      let found = try await content.store.findHouseholdOffer(ref)
    {
      page.fields.set(
        "household",
        PageFields(sharing: found, by: visitor.user.id, back: request.back))
    }
    return page
  }

  /// The values besides the offer on which its page depends.
  struct Settings {
    let presentation: FeedPresentation
    let feedTitle: String
    let maps: MapSettings
    /// The time at which offers count as expired, and the end of the chart of the history.
    let now: Date
  }

  /// The page of an offer but for the card, whose star depends on the user.
  ///
  /// - Parameters:
  ///   - bounds: the bounds of the user's watches; none for a page that is the same for all users.
  ///   - texts: writes the bounds.
  static func page(
    of offer: Offer, _ points: [RewardPoint], _ settings: Settings, _ bounds: [WatchBound] = [],
    _ texts: (any FilterTextReader)? = nil
  ) -> Page {
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
      fields.set("isUpright", presentation.layout == .posters)
      fields.set("details", Self.paragraphs(offer.description))
      fields.set("terms", Self.paragraphs(offer.terms))
      fields.set("hasTerms", offer.terms != nil)
      fields.set("feedTitle", settings.feedTitle)
      fields.set("feedLink", PageLinks.feed(offer.ref.feed))
      let said = [offer.name] + presentation.bylineValues(of: offer)
      let facts = Self.facts(of: offer, besides: said, at: now)
      fields.set("facts", facts)
      fields.set("hasFacts", !facts.isEmpty || Coordinates(offer) != nil)
      fields.set("about", Self.about(offer, settings.feedTitle))
      fields.set("isPlace", Coordinates(offer) != nil)
      place.set(&fields, of: offer)
      if let link = PageLinks.outside(offer.urlText) {
        fields.set(
          "open",
          [
            "openLink": link, "openHost": PageLinks.host(link), "openName": SiteName.of(link),
            "frameLink": PageLinks.path("/web", [("url", link)]),
          ])
      }
      if let gone = offer.goneAt {
        fields.set("gone", ["goneAt": gone])
      }
      fields.set("isOlder", offer.isOlder)
      if offer.isExpired(at: now), let end = offer.expiresAt {
        fields.set("expired", ["expiredAt": end])
      }
      fields.set(
        "history",
        HistoryChart(
          points, presentation.valueRole, until: offer.goneAt ?? now, bounds, texts)?.fields)
    }
    page.back = PageLinks.feed(offer.ref.feed)
    page.lifetime = .whileNoneExpires
    page.menuEntry = .offers
    return page
  }

  /// The link to the list of all offers with this retailer or category (`name`); nil for a text
  /// that is too long for a URL.
  private static func filter(_ name: String, _ text: String?) -> String? {
    guard let text, text.utf8.count <= 500 else { return nil }
    return PageLinks.path("/", [(name, text)])
  }

  private static func paragraphs(_ text: String?) -> [String] {
    (text ?? "").split(whereSeparator: \.isNewline).map { String($0) }
      .filter { !$0.allSatisfy(\.isWhitespace) }
  }

  /// The rows of an offer's table: its retailer, categories, times and attributes.
  ///
  /// - Parameter said: the texts that stand above the table, which does not repeat them.
  private static func facts(of offer: Offer, besides said: [String], at now: Date) -> [PageFields] {
    var facts: [PageFields] = []
    if let retailer = offer.retailer, !said.contains(retailer) {
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
        [
          "label": label,
          "links": offer.shownCategories.map { category in
            ["text": category, "link": Self.filter("category", category)] as PageFields
          },
        ] as PageFields)
    }
    facts += [
      PageFields(fact: "Starts", time: offer.startsAt),
      PageFields(fact: offer.isExpired(at: now) ? "Expired on" : "Expires", time: offer.expiresAt),
    ].compactMap(\.self)
    let shown = OfferLocationFields.shown(of: offer)
    for attribute in offer.attributes where attribute.value != joined {
      if shown.contains(attribute) || said.contains(attribute.shownValue) { continue }
      facts.append(
        PageFields(
          fact: attribute.label, DayText.words(value(of: attribute)),
          link: PageLinks.phone(attribute) ?? PageLinks.outside(attribute.value)))
    }
    return facts
  }

  /// The value of an attribute without its label at the start: `© 2025` for the copyright `Copyright © 2025`.
  private static func value(of attribute: OfferAttribute) -> String {
    let value = attribute.shownValue
    guard let label = value.range(of: attribute.label, options: [.anchored, .caseInsensitive])
    else { return value }
    let rest = value[label.upperBound...].drop { $0.isWhitespace || $0 == ":" }
    return rest.first.map(\.isLetter) == false && rest.startIndex > label.upperBound
      ? String(rest) : value
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
    self = ["label": label, "value": value, "link": link]
  }

  /// A line of the details of an offer with a time; nil without one.
  fileprivate init?(fact label: String, time: Date?) {
    guard let time else { return nil }
    self = ["label": label, "moment": time]
  }
}

/// The place of an offer on its page: a small map, and links to call, to find the way and to share.
struct OfferLocationFields {
  let maps: MapSettings

  /// Sets the place of an offer that has coordinates.
  func set(_ fields: inout PageFields, of offer: Offer) {
    guard let coordinates = Coordinates(offer) else { return }
    let contact = Contact(offer)
    let address = contact.address?.value
    fields.set(
      "place",
      PageFields { place in
        place.set(coordinates)
        place.set("mapLink", coordinates.link)
        place.set("directionsLink", coordinates.directionsLink)
        if let phone = contact.phone {
          place.set("phone", phone.value)
          place.set("phoneLink", PageLinks.phone(phone))
        }
        if let twitter = contact.twitter {
          place.set("twitter", twitter.value)
          place.set("twitterLink", PageLinks.twitter(twitter))
        }
        place.set("placeCategory", offer.categories.first)
        place.set("listLink", PageLinks.path(PageLinks.feed(offer.ref.feed), [("view", "map")]))
        if let address { place.set("addressLines", Self.lines(of: address)) }
        place.set("placeName", offer.name)
        place.set("placeAddress", address)
        place.set("shareLink", PageLinks.outside(offer.urlText) ?? coordinates.link)
        place.set("hasMap", maps.files.areInstalled)
      })
  }

  /// The attributes that the section of the place shows, so that the details need not repeat them.
  static func shown(of offer: Offer) -> [OfferAttribute] {
    guard Coordinates(offer) != nil else { return [] }
    let contact = Contact(offer)
    return [contact.address, contact.phone, contact.twitter].compactMap(\.self)
  }

  /// The first address, phone number and Twitter name of a place.
  private struct Contact {
    let address: OfferAttribute?
    let phone: OfferAttribute?
    let twitter: OfferAttribute?

    init(_ offer: Offer) {
      address = offer.attributes.first { $0.label.lowercased() == "address" }
      phone = offer.attributes.first { PageLinks.phone($0) != nil }
      twitter = offer.attributes.first { PageLinks.twitter($0) != nil }
    }
  }

  /// The lines of an address in one text: its parts between commas, but a part such as `TX 75254`,
  /// which begins with capitals and has a digit, stays on the line of the part before it.
  static func lines(of address: String) -> [String] {
    var lines: [String] = []
    for part in address.split(whereSeparator: { $0 == "," || $0.isNewline }) {
      let text = part.trimmingCharacters(in: .whitespaces)
      let capitals = text.unicodeScalars.prefix { ("A"..."Z").contains($0) }.count
      let hasDigit = text.unicodeScalars.contains { ("0"..."9").contains($0) }
      if text.isEmpty { continue }
      if let last = lines.popLast() {
        lines += (2...3).contains(capitals) && hasDigit ? ["\(last), \(text)"] : [last, text]
      } else {
        lines = [text]
      }
    }
    return lines
  }
}

extension PageLinks {
  /// The address of the profile that an attribute labelled `Twitter` names, such as `@name`; nil for any
  /// other attribute, and for a text that is no name of that site.
  static func twitter(_ attribute: OfferAttribute) -> String? {
    guard attribute.label.lowercased() == "twitter" else { return nil }
    let name =
      attribute.value.utf8.first == UInt8(ascii: "@")
      ? String(attribute.value.unicodeScalars.dropFirst()) : attribute.value
    let isName = name.unicodeScalars.allSatisfy {
      ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
    }
    return isName && (1...30).contains(name.utf8.count) ? "https://twitter.com/\(name)" : nil
  }

  private static let phoneLabels: Set = ["phone", "telephone", "tel", "mobile", "phone number"]

  /// The `tel:` URL of an attribute that is labelled as a phone number; nil for any other, and for
  /// one without 5 to 20 digits. Only the digits and a leading plus sign are part of it (RFC 3966).
  static func phone(_ attribute: OfferAttribute) -> String? {
    guard phoneLabels.contains(attribute.label.lowercased()) else { return nil }
    let text = attribute.value.trimmingCharacters(in: .whitespacesAndNewlines)
    let digits = text.unicodeScalars.filter { ("0"..."9").contains($0) }
    let others = text.unicodeScalars.filter { !("0"..."9").contains($0) }
    guard (5...20).contains(digits.count),
      others.allSatisfy({ " ()+-./\u{A0}".unicodeScalars.contains($0) })
    else { return nil }
    return "tel:" + (text.hasPrefix("+") ? "+" : "") + String(String.UnicodeScalarView(digits))
  }
}

enum SiteName {
  private static let names = [
    "music.apple.com": "Apple Music", "itunes.apple.com": "Apple Music",
    "geo.music.apple.com": "Apple Music", "open.spotify.com": "Spotify", "youtube.com": "YouTube",
    "themoviedb.org": "TMDB", "imdb.com": "IMDb", "en.wikipedia.org": "Wikipedia",
  ]

  /// The name of the site that a URL leads to: a name that people know, or else its host.
  static func of(_ link: String) -> String {
    let host = PageLinks.host(link)
    return names[host.lowercased()].map { "in \($0)" } ?? host
  }
}

/// The page that shows other sites in a sandboxed frame.
///
/// A link from another site shows nothing: the person has to confirm its address first. Otherwise a
/// page on the internet could have this page load addresses of the private network.
struct FramedSitePage {
  let content: ServerDependencies
  let request: PageRequest

  func page() async throws -> Page {
    let feeds = try await content.fetchFeeds()
    let asked = request.fields["url"]
    let address = asked.flatMap(Self.address)
    let (feed, home) = try await findHome(of: feeds, at: address)
    var page = Page("web", title: "Web", menuEntry: .settings) { fields in
      fields.set("asked", address ?? asked)
      if let feed { fields.setPair(feed.shownTitle, feed.name, site: home, isList: false) }
      if let home {
        fields.set(
          "home",
          [
            "homeLink": home, "homeHost": PageLinks.host(home),
            "homeFrameLink": PageLinks.path("/web", [("url", home)]),
          ])
      }
      if let address, !request.isTrusted {
        fields.set("offered", ["siteHost": PageLinks.host(address)])
      } else if let address {
        fields.set("site", ["siteLink": address, "siteHost": PageLinks.host(address)])
      } else if asked != nil {
        fields.set("refused", true)
      }
    }
    page.sidebarFeeds = feeds
    page.reach = .frames
    // The definitions may change without a write to the database.
    page.lifetime = .seconds(10)
    // A cached response to one of this server's pages must not answer a link from another site.
    if asked != nil { page.lifetime = .never }
    return page
  }

  /// A subscribed feed whose definition names a home page, and that page: the feed whose home `address` is, or
  /// else the first; nil for none.
  private func findHome(of feeds: [Feed], at address: String?) async throws -> (Feed?, String?) {
    let known = try await content.syncer.fetchKnownFeeds()
    let homes = feeds.compactMap { feed in
      known.first { $0.name == feed.name }.flatMap { PageLinks.outside($0.home) }.map { (feed, $0) }
    }
    let found = homes.first { $0.1 == address } ?? homes.first
    return (found?.0, found?.1)
  }

  /// The URL for an address as people type it: `example.com` means `https://example.com`. Nil for a
  /// URL that is neither http nor https, and for a text that is no host name.
  private static func address(_ text: String) -> String? {
    if let address = PageLinks.outside(text) { return address }
    let name = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    // A colon precedes a port; otherwise the text has another scheme.
    let parts = name.split(scalar: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts[0].contains(".") || parts[0] == "localhost",
      parts.count == 1 || parts[1].allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    return PageLinks.outside("https://" + text)
  }
}
