import OffersCore

/// The filters and the order of a list of offers, as given in the query of the page's URL.
struct OfferChoice {
  private(set) var feed: String?
  var favoritesOnly: Bool
  private let category: String?
  private let retailer: String?
  private let sort: OfferQuery.Sort
  private let isReversed: Bool
  private let pricedFeeds: Set<String>

  /// - Parameters:
  ///   - fields: the fields of the page's query.
  ///   - presentations: how the offers of each feed are shown.
  ///   - feed: the feed that the page belongs to; nil for the `feed` field of the query.
  init(_ fields: SentFields, _ presentations: FeedPresentations, feed: String? = nil) {
    pricedFeeds = presentations.pricedFeeds
    self.feed = feed ?? fields["feed"]
    favoritesOnly = fields.isSet("favorites")
    category = fields["category"]
    retailer = fields["retailer"]
    sort = fields["sort"].flatMap(OfferQuery.Sort.init) ?? .feed
    isReversed = fields.isSet("reverse")
  }

  /// The query for all offers of the list, not only one page of it.
  func query() -> OfferQuery {
    var query = OfferQuery(feed: feed, favoritesOnly: favoritesOnly)
    query.category = category
    query.retailer = retailer
    query.sort = sort
    query.isReversed = isReversed
    query.pricedFeeds = pricedFeeds
    return query
  }

  /// The maximum size of a text in a list, in bytes. Longer texts are truncated; the offer's own
  /// page shows them whole.
  static let textBytes = 2 << 10

  /// The query for one page of the list.
  ///
  /// - Parameters:
  ///   - page: the number of the page, from 1.
  ///   - size: the number of offers to fetch: one more than the page shows, to determine whether
  ///     there is a next page.
  ///   - textBytes: the maximum size of a text, in bytes.
  func query(page: Int, size: Int, textBytes: Int = Self.textBytes) -> OfferQuery {
    var query = query()
    query.textBytes = textBytes
    query.limit = size
    query.offset = (page - 1) * (size - 1)
    return query
  }

  /// Whether a filter is set besides those that the page itself implies: the favorites on the page
  /// of favorites, and the feed `own` on its page.
  func narrows(isFavorites: Bool, feed own: String? = nil) -> Bool {
    category != nil || retailer != nil || favoritesOnly != isFavorites || feed != own
  }

  /// The URL of a page with these filters and this order.
  ///
  /// - Parameters:
  ///   - path: the path of the page, which implies the filter of favorites if it is `/favorites`.
  ///   - page: the number of the page of the list, from 1.
  ///   - left: the name of a filter to leave out.
  ///   - own: the feed that the path already names.
  ///   - more: further fields of the query.
  func link(
    _ path: String, page: Int = 1, without left: String? = nil, own: String? = nil,
    more: [(String, String?)] = []
  ) -> String {
    let isFavorites = path == "/favorites"
    let fields: [(String, String?)] = [
      ("feed", feed == own ? nil : feed),
      ("favorites", favoritesOnly && !isFavorites ? "1" : nil),
      ("category", category), ("retailer", retailer),
      ("sort", sort == .feed ? nil : sort.rawValue), ("reverse", isReversed ? "1" : nil),
    ]
    return PageLinks.path(
      path,
      fields.filter { $0.0 != left } + more + [("page", page == 1 ? nil : String(page))])
  }

  private static let sortLabels: [(OfferQuery.Sort, String)] = [
    (.feed, "Feed order"), (.reward, "Highest reward"),
    (.price, "Lowest price"), (.name, "Name"),
    (.newest, "Newest"), (.expiry, "Ending soonest"),
  ]

  /// The orders to choose from: by reward and by price only if the feeds of the list have such
  /// values.
  private func sorts(of feeds: [Feed]) -> [(OfferQuery.Sort, String)] {
    let names = feed.map { [$0] } ?? feeds.map(\.name)
    let hasPrices = names.contains(where: pricedFeeds.contains)
    let hasRewards = names.contains { !pricedFeeds.contains($0) }
    return Self.sortLabels.filter { order, _ in
      order == sort || (order != .price || hasPrices) && (order != .reward || hasRewards)
    }
  }

  /// Sets the fields of the form that changes the filters and the order, and the fields of a chip
  /// for each filter, whose link removes the filter.
  ///
  /// - Parameters:
  ///   - fields: the fields of the page that shows the list.
  ///   - feeds: the feeds to choose from.
  ///   - titles: the titles of feeds, by name, for the chip of the feed.
  ///   - offers: the offers on the page, whose categories and retailers the form proposes.
  ///   - path: the path of the page, to which the form and the chips lead.
  ///   - isFavorites: whether it is the page of favorites, whose form has no filter of favorites.
  ///   - own: the feed that the page belongs to, which the form cannot change; nil for a page of
  ///     all feeds.
  func fill(
    _ fields: inout PageFields, feeds: [Feed], titles: [String: String] = [:], offers: [Offer],
    path: String, isFavorites: Bool, own: String? = nil
  ) {
    let sorts = sorts(of: feeds).map { sort, label in
      PageFields { option in
        option.set("value", sort.rawValue)
        option.set("label", label)
        option.set("isChosen", sort == self.sort)
      }
    }
    let feedOptions =
      own != nil
      ? []
      : feeds.map { feed in
        PageFields { option in
          option.set("value", feed.name)
          option.set("label", PageSource.title(of: feed))
          option.set("isChosen", feed.name == self.feed)
        }
      }
    fields.set(
      "choice",
      PageFields { choice in
        choice.set("formPath", path)
        choice.set("sorts", sorts)
        choice.set("feedOptions", feedOptions.count > 1 ? feedOptions : [])
        choice.set("hasFeeds", feedOptions.count > 1)
        choice.set("chosenCategory", category)
        choice.set("chosenRetailer", retailer)
        choice.set("chosenReverse", isReversed)
        choice.set("chosenFavorites", favoritesOnly)
        choice.set("asksFavorites", !isFavorites)
        choice.set("categories", Self.some(offers.flatMap(\.categories)))
        choice.set("retailers", Self.some(offers.compactMap(\.retailer)))
        choice.set("sortLabel", Self.sortLabels.first { $0.0 == sort }?.1)
      })
    fields.set(
      "narrowed",
      narrowings(titles, isFavorites: isFavorites, own: own).map { name, label in
        PageFields { chip in
          chip.set("label", label)
          chip.set("link", link(path, without: name, own: own))
        }
      })
  }

  private func narrowings(
    _ titles: [String: String], isFavorites: Bool, own: String?
  ) -> [(String, String)] {
    var parts: [(String, String)] = []
    if let feed, feed != own {
      parts.append(("feed", titles[feed] ?? feed))
    }
    if favoritesOnly, !isFavorites { parts.append(("favorites", "Favorites")) }
    if let category { parts.append(("category", category)) }
    if let retailer { parts.append(("retailer", retailer)) }
    return parts
  }

  /// The first 50 of the sorted distinct texts, without those of more than 100 characters.
  private static func some(_ texts: [String]) -> [String] {
    Array(Set(texts.filter { $0.count <= 100 }).sorted().prefix(50))
  }
}
