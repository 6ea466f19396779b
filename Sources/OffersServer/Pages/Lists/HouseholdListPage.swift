import OffersCore

/// The grid of the offers that users share with all others.
struct HouseholdListPage {
  let content: ServerDependencies
  let request: PageRequest

  func page() async throws -> Page {
    guard request.visitor?.hasHousehold == true else {
      throw OffersError(
        .notFound, "There is no household list, because this server has one user.",
        hint: "It appears when an admin has added a second one.")
    }
    let size = OffersPage.pageSize
    let number = request.fields.page()
    let list = try await content.store.fetchHousehold(
      HouseholdQuery(
        limit: size, offset: (number - 1) * size, textBytes: ListSelection.textBytes),
      maximumBytes: .max)
    let count = try await content.store.countHousehold()
    let titles = try await content.fetchTitles()
    let shown = try await content.fetchPresentations()
    let news = try await GoodNewsLabels(
      of: list.offers.map(\.offer.offer), in: content.store, at: content.now())
    let now = content.now()
    var page = Page("household", title: "Household", menuEntry: .household) { fields in
      fields.set("count", Units.count(count, "offer"))
      fields.set(
        "cards",
        list.offers.map { found in
          var card = PageFields(
            card: found.offer, shown[found.id.feed], at: now, back: request.back,
            feedTitle: titles[found.id.feed])
          card.set("news", news.fields(of: found.id, shown[found.id.feed]))
          card.set("shared", PageFields { $0.set(sharersOf: found) })
          return card
        })
      if list.offers.isEmpty {
        fields.set(
          "nothing",
          PageFields(
            empty: number > 1 ? "No more offers" : "Nothing is shared yet",
            "Open an offer and share it with the household: everybody on this server sees it here.",
            icon: "household", link: ("/", "Look at offers")))
      }
      fields.setMore(
        list.next != nil
          ? PageLinks.path(request.path, [("page", String(number + 1))]) : nil,
        label: "Next page")
    }
    page.lifetime = .whileNoneExpires
    return page
  }
}

extension PageFields {
  mutating func set(sharersOf found: HouseholdOffer) {
    set(
      "sharers",
      found.sharers.enumerated().map { index, sharer in
        ["sharerName": sharer.name, "isLast": index == found.sharers.count - 1] as PageFields
      })
  }

  /// The section of an offer's page that shares it, or takes it off the household list.
  init(sharing found: HouseholdOffer, by user: User.ID, back: String) {
    self.init { fields in
      fields.set("ref", found.id.description)
      fields.set("href", PageLinks.offer(found.id))
      fields.set("back", back)
      fields.set("isShared", found.isShared)
      fields.set("isOwn", found.isShared(by: user))
      fields.set(sharersOf: found)
    }
  }
}
