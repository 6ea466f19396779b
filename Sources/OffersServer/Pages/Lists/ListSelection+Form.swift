import OffersCore

extension ListSelection {
  /// The orders with their labels, and those of the reversed orders.
  private static let sortLabels: [(sort: OfferQuery.Sort, label: String, reversed: String)] = [
    (.feed, "Feed order", "Reversed"), (.reward, "Highest reward", "Lowest reward"),
    (.price, "Lowest price", "Highest price"),
    (.name, "Name", "Name, reversed"), (.newest, "Newest", "Oldest"),
    (.expiry, "Expiring soonest", "Expiring last"),
  ]

  /// Sets the fields of the form that changes the filters and the order, and the fields of a chip
  /// for each of them that is set, whose link removes it.
  ///
  /// - Parameters:
  ///   - fields: the fields of the page that shows the list.
  ///   - feeds: the feeds to choose from.
  ///   - titles: the titles of feeds, by name, for the chip of the feed.
  ///   - offers: the offers on the page. The form proposes their categories and retailers, and
  ///     leaves out filters and orders by what none of them has.
  ///   - path: the path of the page, to which the form and the chips lead.
  ///   - isFavorites: whether it is the page of favorites, whose form has no filter of favorites.
  ///   - own: the feed that the page belongs to, which the form cannot change; nil for a page of
  ///     all feeds.
  func fill(
    _ fields: inout PageFields, feeds: [Feed], titles: [String: String] = [:], offers: [UserOffer],
    path: String, isFavorites: Bool, own: String? = nil
  ) {
    let categories = Self.some(offers.flatMap(\.categories))
    let retailers = Self.some(offers.compactMap(\.retailer))
    let hasRewards = offers.contains { $0.reward != nil && !pricedFeeds.contains($0.ref.feed) }
    let hasPrices = offers.contains { $0.reward != nil && pricedFeeds.contains($0.ref.feed) }
    let hasEnds = offers.contains { $0.expiresAt != nil }
    let offered = Self.sortLabels.filter { sort, _, _ in
      switch sort {
      case self.sort: true
      case .reward: hasRewards
      case .price: hasPrices
      case .expiry: hasEnds
      default: true
      }
    }
    let sorts = offered.map { sort, label, _ in
      PageFields(option: sort.rawValue, label, isChosen: sort == self.sort)
    }
    let feedOptions =
      own != nil
      ? []
      : feeds.map { feed in
        PageFields(option: feed.name, PageSource.title(of: feed), isChosen: feed.name == self.feed)
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
        choice.set("chosenExpired", includesExpired)
        choice.set("chosenMinimum", minimum?.text)
        choice.set("chosenMaximum", maximum?.text)
        choice.set("chosenNew", isNew)
        choice.set("chosenEnding", isEnding)
        choice.set("asksFavorites", !isFavorites)
        // A filter that no offer could pass is not offered.
        choice.set("categories", categories)
        choice.set("asksCategory", !categories.isEmpty || category != nil)
        choice.set("retailers", retailers)
        choice.set("asksRetailer", !retailers.isEmpty || retailer != nil)
        choice.set("asksMinimum", minimum != nil || hasRewards)
        choice.set("asksMaximum", maximum != nil || hasPrices)
        choice.set("asksEnding", isEnding || hasEnds)
        choice.set("asksExpired", !isFavorites && (includesExpired || hasEnds))
      })
    fields.set(
      "narrowed",
      narrowings(titles, isFavorites: isFavorites, own: own).map { name, label in
        PageFields(chip: label, link(path, without: name, own: own))
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
    if includesExpired, !isFavorites { parts.append(("expired", "Also expired")) }
    if let category { parts.append(("category", category)) }
    if let retailer { parts.append(("retailer", retailer)) }
    if let minimum { parts.append(("minimum", "At least \(minimum.text)")) }
    if let maximum { parts.append(("maximum", "At most \(maximum.text)")) }
    if isNew { parts.append(("new", "New this week")) }
    if isEnding { parts.append(("ending", "Expiring this week")) }
    if sort != .feed || isReversed, let chosen = Self.sortLabels.first(where: { $0.sort == sort }) {
      parts.append(("sort", isReversed ? chosen.reversed : chosen.label))
    }
    return parts
  }

  /// The first 50 of the sorted distinct texts, without those of more than 100 characters.
  private static func some(_ texts: [String]) -> [String] {
    Array(Set(texts.filter { $0.count <= 100 }).sorted().prefix(50))
  }
}
