import Foundation
import Hummingbird
import OffersCore

/// The routes by which browsers store the current offers, to show them while the server cannot be
/// reached.
///
/// A browser requests the list of all offers with a hash of each, compares it with the offers that
/// it has stored, and requests those that differ. So it receives few offers after a sync that
/// changed few, whatever it missed before, and the server remembers nothing about it.
struct OfflineRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers
  let access: VisitorAuthentication

  /// The most offers that a browser stores, and the most bytes of them: the newest ones.
  static let offerLimit = 5000
  static let bytes = 8_000_000
  private static let answerLimit = 100
  /// The part of an offer's history that browsers store.
  private static let historyBounds = HistoryQuery(limit: 100, maximumBytes: 16 << 10)
  /// The number of offers that are read from the store at a time.
  private static let readLimit = 500

  func add(to router: Router<ServedContext>) {
    // The definitions of feeds may change without a write to the database.
    answers.read("/api/v1/offline", lifetime: .seconds(10), on: router) { _, context in
      try await of(context).list(for: context.visitor)
    }
    // Each browser requests other offers, and once.
    answers.read("/api/v1/offline/offers", ["refs"], lifetime: .never, on: router) {
      parameters, context in
      try await of(context).offers(try Self.refs(try parameters.fetchText("refs")))
    }
  }

  private func list(for visitor: Visitor?) async throws -> Answer {
    let feeds = try await content.fetchFeeds()
    let titles = try await content.fetchTitles(of: feeds)
    let settings = SettingsPage(content: content, access: access, visitor: visitor)
    let frames =
      try await OfflineFrame.lists(content, feeds)
      + OfflineFrame.others(content, feeds, settings, for: visitor)
    let stored = try await fetchStored(titles)
    return .json { json in
      json.member("offers", each: stored) { json, offer in
        json.array { json in
          json.value(offer.ref)
          json.value(offer.hash)
        }
      }
      json.member("titles", objects: titles.sorted { $0.key < $1.key }) { json, title in
        json.member("feed", title.key)
        json.member("title", title.value)
      }
      json.member("may_sync", visitor.map { $0.right >= .sync } ?? true)
      json.member("has_household", visitor?.hasHousehold ?? false)
      json.member("sidebar", each: PageFields.sidebar(feeds)) { $1.write(to: &$0) }
      json.member("pages", each: frames) { $1.write(to: &$0) }
    }
  }

  /// The references and the hashes of the offers that a browser stores, in the order of the feeds.
  private func fetchStored(_ titles: [String: String]) async throws -> [(ref: String, hash: String)]
  {
    var stored: [(seen: Date, ref: String, hash: String)] = []
    var room = Self.bytes
    // Expired offers come behind all others, and are the first for which there is no room.
    var query = OfferQuery(
      includesExpired: true, now: content.now(), sort: .newest, limit: Self.readLimit)
    let settings = try await pageSettings(titles)
    reading: while true {
      let page = try await content.store.fetchOfferPage(
        query, maximumBytes: Answer.pageBytes)
      for offer in page.offers {
        let record = OfflineOffer(offer.offer, settings(offer.ref.feed))
        room -= record.bytes
        if room < 0 || stored.count == Self.offerLimit { break reading }
        stored.append((offer.firstSeenAt, offer.ref.description, record.hash))
      }
      guard let next = page.next else { break }
      query.after = next
    }
    // The newest offers come first, and those of one sync in the order of their feed. That order is
    // the order in which syncs found the offers, so that the sorting must be stable.
    return stored.enumerated()
      .sorted { ($0.element.seen, $0.offset) < ($1.element.seen, $1.offset) }
      .map { ($0.element.ref, $0.element.hash) }
  }

  private func offers(_ refs: [OfferRef]) async throws -> Answer {
    let settings = try await pageSettings(try await content.fetchTitles())
    var offers: [Offer] = []
    var found: [(OfflineOffer, [RewardPoint])] = []
    var answered = 0
    var bytes = 0
    while answered < refs.count, bytes < Answer.pageBytes {
      let ref = refs[answered]
      answered += 1
      guard let offer = try await content.store.findOffer(ref) else { continue }
      let record = OfflineOffer(offer.offer, settings(ref.feed))
      let points = try await content.store.fetchHistory(
        named: ref.description, Self.historyBounds
      ).points
      bytes += record.bytes
      offers.append(offer.offer)
      found.append((record, points))
    }
    let news = try await GoodNewsLabels(of: offers, in: content.store, at: content.now())
    return .json { json in
      json.member("offers", each: found) { $1.0.write(to: &$0, $1.1, news) }
      json.member("answered", answered)
    }
  }

  private func pageSettings(
    _ titles: [String: String]
  ) async throws -> (String) -> OfferPage.Settings {
    let shown = try await content.fetchPresentations()
    let now = content.now()
    return { feed in
      OfferPage.Settings(
        presentation: shown[feed], feedTitle: titles[feed] ?? feed, maps: content.maps, now: now)
    }
  }

  /// Parses a comma-separated list of references, each percent-encoded, so that a reference may
  /// contain a comma.
  private static func refs(_ text: String) throws -> [OfferRef] {
    let parts = text.split(scalar: ",", omittingEmptySubsequences: false)
    guard parts.count <= answerLimit else {
      throw Problem(
        .badRequest, "The parameter “refs” names \(parts.count) offers.",
        hint: "Name at most \(answerLimit).")
    }
    return try parts.map { part in
      guard let name = PercentCode.decode(part), let ref = try? OfferRef(named: name) else {
        throw Problem(
          .badRequest, "“\(part.prefix(80))” in the parameter “refs” is no reference.",
          hint: "Write references such as ibotta:110579, separated by commas.")
      }
      return ref
    }
  }
}

/// A page without its offers, which a browser adds while the server cannot be reached.
struct OfflineFrame {
  private let path: String
  private let page: Page
  /// The number of offers of the whole list; nil for a list that depends on a user.
  private var total: Int?
  private var noun = OfferNoun.offer
  /// The message in place of an empty list, and the one if filters exclude all offers.
  private var nothing: (none: PageFields, noMatch: PageFields)?
  /// Whether the page shows the offers that its cards name, and not those of a list.
  private var namesOffers = false

  /// The variables of a card by which a page names its offer, and those that belong to the page.
  private static let ofCards: Set<String> = ["news", "ref", "shared"]

  /// Variables that depend on the offers of the list, or on a user.
  private static let ofOffers: Set<String> = [
    "boxes", "cards", "count", "credit", "hasRecent", "inputs", "more", "narrowed", "nothing",
    "recentSearches", "sorts", "timedBoxes", "total",
  ]

  /// The frames of the start page, the settings, the page of other sites and the household list.
  static func others(
    _ content: ServerDependencies, _ feeds: [Feed], _ settings: SettingsPage, for visitor: Visitor?
  ) async throws -> [OfflineFrame] {
    func request(_ path: String) -> PageRequest { PageRequest(path: path, visitor: visitor) }
    var pages = [
      (SettingsSection.root, try await settings.list()),
      (SettingsSection.about.path, try await settings.page(.about)),
      ("/web", try await FramedSitePage(content: content, request: request("/web")).page()),
    ]
    if feeds.count > 1 {
      pages.append(("/", try await TodayPage(content: content, request: request("/")).page()))
    }
    if visitor?.hasHousehold == true {
      let list = HouseholdListPage(content: content, request: request("/household"))
      pages.append(("/household", try await list.page()))
    }
    return pages.map { OfflineFrame(path: $0, page: $1, namesOffers: true) }
  }

  /// The frames of the lists of all offers, of the favorites and of each feed, and of the search.
  static func lists(_ content: ServerDependencies, _ feeds: [Feed]) async throws -> [OfflineFrame] {
    let shown = try await content.fetchPresentations()
    let search = SearchPage(content: content, request: PageRequest(path: "/search"))
    var frames = [OfflineFrame(path: "/search", page: try await search.page())]
    for isFavorites in [false, true] {
      let path = isFavorites ? "/favorites" : feeds.count > 1 ? OffersPage.path : "/"
      let list = OffersPage(
        content: content, request: PageRequest(path: path), isFavorites: isFavorites)
      frames.append(
        OfflineFrame(
          path: path, page: try await list.page(),
          total: isFavorites
            ? nil : try await content.store.countOffers(OfferQuery(now: content.now())),
          noun: isFavorites ? OfferNoun("favorite") : shown.noun(of: feeds.map(\.name)),
          nothing: (list.nothing(feeds), list.noMatch)))
    }
    for feed in feeds {
      let path = PageLinks.feed(feed.name)
      let list = FeedPage(content: content, request: PageRequest(path: path, name: feed.name))
      frames.append(
        OfflineFrame(
          path: path, page: try await list.page(),
          total: try await content.store.countOffers(
            OfferQuery(feed: feed.name, now: content.now())),
          noun: shown[feed.name].noun,
          nothing: (list.nothing(feed), list.noMatch)))
    }
    return frames
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("path", path)
      json.member("template", page.template)
      json.member("title", page.title)
      json.member("menu", page.menuEntry?.rawValue)
      json.member("total", total)
      json.member("noun", each: [noun.singular, noun.plural]) { $0.value($1) }
      json.member("back", page.back)
      json.member("names_offers", namesOffers)
      let fields =
        namesOffers
        ? page.fields.keeping(Self.ofCards, ofEach: "cards") : page.fields.without(Self.ofOffers)
      json.member("fields") { fields.write(to: &$0) }
      // An empty list that does not depend on the user says more precisely why it is empty.
      let message = total == nil ? nil : page.fields.child(named: "nothing") as? PageFields
      json.member("nothing") { Self.write(nothing.map { message ?? $0.none }, to: &$0) }
      json.member("no_match") { Self.write(nothing?.noMatch, to: &$0) }
    }
  }

  private static func write(_ fields: PageFields?, to json: inout JSONWriter) {
    if let fields { fields.write(to: &json) } else { json.null() }
  }
}

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
  /// - Parameter news: the recent news of the offer, which do not count in the hash: they come with a change
  ///   of another member, and age in the browser.
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
    json.member("is_gone", offer.isGone)
    json.member("latitude", number: offer.latitude.map { "\($0)" })
    json.member("longitude", number: offer.longitude.map { "\($0)" })
    json.member("is_priced", presentation.valueRole == .price)
    json.member("first_seen", offer.firstSeenAt.storedSeconds)
    json.member("expires", offer.expiresAt?.storedSeconds)
    json.member("card") { card.write(to: &$0) }
    json.member("title", page.title)
    json.member("back", page.back)
    json.member("page") { page.fields.write(to: &$0) }
  }
}
