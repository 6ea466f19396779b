import Foundation
import OffersCore

/// The page of one feed, in the layout that its definition chooses, or on a map.
struct FeedPage {
  let content: ServerDependencies
  let request: PageRequest

  private static let pageSize = 60
  /// The most characters of a title that stands in one line beside the buttons on a phone.
  private static let shortTitle = 14

  func page() async throws -> Page {
    let name = request.name
    let known = try await content.findKnownFeed(name)
    let feeds = try await content.fetchFeeds()
    let feed = feeds.first { $0.name == name }
    let former = try await content.store.fetchFormerFeeds().first { $0.name == name }
    guard feed != nil || known != nil || former != nil else {
      throw OffersError(
        .notFound, "There is no feed “\(name.prefix(80))”.",
        hint: "The settings list all feeds.")
    }
    let shown = try await content.fetchPresentations()
    let presentation = shown[name]
    let layout = presentation.layout
    let now = content.now()
    let selection = ListSelection(request, own: name, shown, content: content, at: now)
    if let problem = selection.problem { throw problem }
    let number = request.fields.page()
    let offers = try await fetch(selection.query(page: number, size: Self.pageSize + 1))
    let count = offers.isEmpty ? 0 : try await content.store.countOffers(selection.query)
    let expired =
      offers.isEmpty && number == 1 && feed != nil
      ? try await content.store.countExpired(leftOutOf: selection.query) : 0
    let title = feed?.title ?? former?.title ?? known?.title ?? name
    let news = try await GoodNewsLabels(
      of: offers.map(\.offer), in: content.store, at: content.now())
    let colors = try await content.store.fetchPictureColors(of: offers.map(\.offer))
    let map = try await map(of: selection, on: offers, presentation, at: now)
    var page = Page("feed", title: title, menuEntry: .offers) { fields in
      fields.set("heading", title)
      fields.set("isLong", title.count > Self.shortTitle)
      fields.set("feedName", name)
      fields.set("count", Units.count(count, presentation.noun))
      fields.setHeld(
        feed.map { [$0] } ?? [], shown, at: now, mayDecide: request.mayDecide, back: request.address
      )
      fields.setChips(feeds, current: PageLinks.feed(name))
      fields.setPair(title, name, site: known?.home, isList: true)
      selection.fill(&fields, feeds: feeds, offers: offers)
      if known?.isSearchable == true {
        fields.set("searchbox", ["boxFeed": name, "boxLabel": "Search \(title)"])
      }
      fields.set("map", map)
      fields.set(layout)
      fields.set(
        "cards",
        offers.prefix(Self.pageSize).map { offer in
          var card = PageFields(
            card: offer, presentation, at: now, back: request.back, feedTitle: title)
          card.describe(offer.offer, presentation)
          card.set("news", news.fields(of: offer.ref, presentation))
          card.set(colors, of: offer.offer)
          return card
        })
      if layout == .covers { fields.set("credit", Self.credit(offers)) }
      if expired > 0 {
        fields.set("nothing", selection.allExpired(expired, presentation.noun))
      } else if offers.isEmpty {
        fields.set("nothing", nothing(narrows: selection.narrows, feed, number))
      }
      fields.setMore(
        offers.count > Self.pageSize ? selection.link(page: number + 1) : nil,
        label: layout == .posters ? "Load more" : "Next page")
    }
    page.feed = name
    page.sidebarFeeds = feeds
    // The feed's definition may change without a write to the database.
    page.lifetime = .seconds(10)
    return page
  }

  /// The offers of the query; none for a feed that was never synced, which the store does not know.
  func fetch(_ query: OfferQuery) async throws -> [UserOffer] {
    do {
      return try await content.store.fetchOffers(query)
    } catch {
      guard error.code == .notFound else { throw error }
      return []
    }
  }

  /// The copyright notice that all offers of the page share; nil if they differ or have none.
  private static func credit(_ offers: [UserOffer]) -> String? {
    let credits = offers.map { $0.attributes.first { $0.label == "Copyright" }?.value }
    return Set(credits).count == 1 ? credits.first ?? nil : nil
  }

  var noMatch: PageFields {
    PageFields(
      empty: "No matching offers", "No offer matches all of these filters.", icon: "search",
      link: (request.path, "Show all"))
  }

  func nothing(narrows: Bool = false, _ feed: Feed?, _ number: Int = 1) -> PageFields {
    if number > 1 || narrows { return noMatch }
    if let error = feed?.lastRun?.error {
      return PageFields(
        empty: "The last refresh failed",
        error: ErrorWords(error, ofFeed: feed?.shownTitle),
        feed: request.name)
    }
    let text =
      feed == nil
      ? "Refresh to read this feed. It is then refreshed with the others."
      : "The feed has no offers right now. Refresh to check again."
    return PageFields(
      empty: feed == nil ? "Not read yet" : "No offers", text, icon: "tag", refreshes: true,
      feed: request.name)
  }
}

extension FeedPage {
  private static let mapLimit = 1000
  /// The maximum size of a text on the map, in bytes; longer texts are truncated.
  private static let mapTextBytes = 256

  /// The fields of the map that opens over the list; nil without the map library, or if no offer of
  /// the list has coordinates. The places are left out unless the map's own address is requested.
  func map(
    of selection: ListSelection, on offers: [UserOffer], _ presentation: FeedPresentation,
    at now: Date
  ) async throws -> PageFields? {
    guard content.maps.files.areInstalled else { return nil }
    let isOpen = request.fields["view"] == "map"
    var places = offers
    if isOpen {
      places = try await fetch(
        selection.query(page: 1, size: Self.mapLimit + 1, textBytes: Self.mapTextBytes))
    }
    places = places.prefix(Self.mapLimit).filter { Coordinates($0.offer) != nil }
    if places.isEmpty { return nil }
    return PageFields { map in
      map.set("listLink", selection.link())
      map.set("mapLink", selection.link(more: [("view", "map")]))
      guard isOpen else { return }
      map.set(
        "dialog",
        PageFields { dialog in
          dialog.set("placeCount", Units.count(places.count, "place"))
          dialog.set(
            "places",
            places.map { offer in
              var card = PageFields(card: offer, presentation, at: now, back: request.back)
              card.describe(offer.offer, presentation)
              return card
            })
        })
    }
  }
}

extension PageFields {
  /// Sets the layout of a list (cards.mustache).
  mutating func set(_ layout: FeedLayout) {
    for each in FeedLayout.allCases { set("layout-\(each.rawValue)", each == layout) }
  }
}
