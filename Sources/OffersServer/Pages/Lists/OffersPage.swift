import OffersCore

/// The grid of the offers of all feeds, or of the favorites.
struct OffersPage {
  let content: ServerDependencies
  var request: PageRequest
  var isFavorites = false

  /// The path of the list of the offers of several feeds, whose start page is another one.
  static let path = "/all"

  /// The number of offers on a page: a multiple of 2, 3, 4, 5 and 6, so that a full page ends with
  /// a full row in a grid of as many columns.
  static let pageSize = 60
  /// The most favorites whose values are added up.
  private static let totalLimit = 5000

  func page() async throws -> Page {
    let feeds = try await content.fetchFeeds()
    var list = self
    if !isFavorites { list.request.path = feeds.count > 1 ? Self.path : "/" }
    return try await list.page(of: feeds)
  }

  private func page(of feeds: [Feed]) async throws -> Page {
    let shown = try await content.fetchPresentations()
    let now = content.now()
    let selection = ListSelection(
      request, isFavorites: isFavorites, shown, content: content, at: now)
    if let problem = selection.problem { throw problem }
    let number = request.fields.page()
    let offers = try await content.store.fetchOffers(
      selection.query(page: number, size: Self.pageSize + 1))
    let count = try await content.store.countOffers(selection.query)
    let expired =
      offers.isEmpty && number == 1
      ? try await content.store.countExpired(leftOutOf: selection.query) : 0
    let total = isFavorites ? try await total(of: selection.query, count, shown) : nil
    let titles = try await content.fetchTitles(of: feeds)
    let news = try await GoodNewsLabels(
      of: offers.map(\.offer), in: content.store, at: content.now())
    let colors = try await content.store.fetchPictureColors(of: offers.map(\.offer))
    let noun =
      isFavorites
      ? OfferNoun("favorite") : shown.noun(of: selection.feed.map { [$0] } ?? feeds.map(\.name))
    let title = isFavorites ? "Favorites" : "Offers"
    var page = Page("offers", title: title, menuEntry: isFavorites ? .favorites : .offers) {
      fields in
      fields.set("heading", title)
      fields.set("count", Units.count(count, noun))
      fields.set("isFavorites", isFavorites)
      fields.set("total", total)
      if !isFavorites {
        fields.setHeld(
          feeds, shown, at: now, namesFeeds: true, mayDecide: request.mayDecide,
          back: request.address)
        fields.setChips(feeds, current: request.path)
      }
      selection.fill(&fields, feeds: feeds, titles: titles, offers: offers)
      fields.set(
        "cards",
        offers.prefix(Self.pageSize).map { offer in
          var card = PageFields(
            card: offer, shown[offer.ref.feed], at: now, back: request.back,
            feedTitle: titles[offer.ref.feed])
          card.set("news", news.fields(of: offer.ref, shown[offer.ref.feed]))
          card.set(colors, of: offer.offer)
          return card
        })
      if expired > 0 {
        fields.set("nothing", selection.allExpired(expired, noun))
      } else if offers.isEmpty {
        fields.set("nothing", nothing(narrows: selection.narrows, feeds, number))
      }
      fields.setMore(
        offers.count > Self.pageSize ? selection.link(page: number + 1) : nil,
        label: "Next page")
    }
    page.sidebarFeeds = feeds
    page.lifetime = .whileNoneExpires
    return page
  }

  /// What the favorites of a list pay together, by currency; nil for none, and for too many.
  private func total(
    of query: OfferQuery, _ count: Int, _ shown: FeedPresentations
  ) async throws -> String? {
    guard 1...Self.totalLimit ~= count else { return nil }
    var all = query
    (all.limit, all.textBytes) = (Self.totalLimit, 0)
    var totals = ValueTotals(pricedFeeds: shown.pricedFeeds)
    for offer in try await content.store.fetchOffers(all) { totals.add(offer.offer) }
    let texts = content.texts
    return totals.sentence { texts.text(of: $0) }
  }

  var noMatch: PageFields {
    PageFields(
      empty: "No matching offers", "No offer matches all of these filters.", icon: "search",
      link: (request.path, isFavorites ? "Show all favorites" : "Show all offers"))
  }

  func nothing(narrows: Bool = false, _ feeds: [Feed], _ number: Int = 1) -> PageFields {
    if number > 1 || narrows { return noMatch }
    if isFavorites {
      return PageFields(
        empty: "No favorites yet",
        "Tap the star of an offer to keep it here, even after its feed has removed it.",
        icon: "star", link: ("/", "Look at offers"))
    }
    if feeds.allSatisfy({ $0.lastRun == nil }) {
      return PageFields(
        empty: "Welcome",
        "There are no offers yet. Choose the feeds that you want to read.",
        icon: "tag", link: (SettingsSection.feeds.path, "Choose feeds"))
    }
    return PageFields(
      empty: "No offers", "The feeds have no offers right now. Refresh to check again.",
      icon: "tag", refreshes: true)
  }
}
