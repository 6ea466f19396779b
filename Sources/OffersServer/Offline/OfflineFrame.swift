import OffersCore

/// A page of a list without its offers, from which a browser makes the list while the server cannot
/// be reached.
struct OfflineFrame {
  private let path: String
  private let page: Page
  /// The number of offers of the whole list; nil for a list that depends on a user.
  private let total: Int?
  /// The noun for the offers of the list.
  private let noun: OfferNoun
  /// The message in place of an empty list, and the one if filters exclude all offers.
  private let nothing: (none: PageFields, noMatch: PageFields)?

  /// Variables that depend on the offers of the list, or on a user.
  private static let ofOffers: Set<String> = [
    "asksCategory", "asksEnding", "asksExpired", "asksMaximum", "asksMinimum", "asksRetailer",
    "cards", "categories", "count", "credit", "hasRecent", "more", "narrowed", "nothing", "recent",
    "recentSearches", "retailers", "sorts",
  ]

  /// The frames of the pages of all offers, of the favorites, of the search and of each feed.
  static func all(_ source: PageSource, _ feeds: [Feed]) async throws -> [OfflineFrame] {
    let shown = try await source.fetchPresentations()
    let none = ListSelection(SentFields([:]), shown, content: source.content)
    let search = SearchPage(source: source, request: PageRequest(path: "/search"))
    var frames = [
      OfflineFrame(
        path: "/search", page: try await search.page(), total: nil, noun: .offer, nothing: nil)
    ]
    for isFavorites in [false, true] {
      let path = isFavorites ? "/favorites" : "/"
      let list = OffersPage(
        source: source, request: PageRequest(path: path), isFavorites: isFavorites)
      var selection = none
      selection.favoritesOnly = isFavorites
      frames.append(
        OfflineFrame(
          path: path, page: try await list.page(),
          total: isFavorites
            ? nil : try await source.store.countOffers(OfferQuery(now: source.now)),
          noun: isFavorites ? OfferNoun("favorite") : shown.noun(of: feeds.map(\.name)),
          nothing: (list.nothing(selection, feeds, 1), list.noMatch)))
    }
    for feed in feeds {
      let path = PageLinks.feed(feed.name)
      let list = FeedPage(source: source, request: PageRequest(path: path, name: feed.name))
      let selection = ListSelection(
        SentFields([:]), shown, feed: feed.name, content: source.content)
      frames.append(
        OfflineFrame(
          path: path, page: try await list.page(),
          total: try await source.store.countOffers(OfferQuery(feed: feed.name, now: source.now)),
          noun: shown[feed.name].noun,
          nothing: (list.nothing(selection, feed, 1), list.noMatch)))
    }
    return frames
  }

  /// Writes the frame as a JSON object.
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("path", path)
      json.member("template", page.template)
      json.member("title", page.title)
      json.member("menu", page.menuEntry?.rawValue)
      json.member("total", total)
      json.member("noun", each: [noun.singular, noun.plural]) { $0.value($1) }
      json.member("fields") { page.fields.without(Self.ofOffers).write(to: &$0) }
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
