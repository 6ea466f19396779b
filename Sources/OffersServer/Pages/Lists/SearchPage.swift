import OffersCore

/// The page of the search in all offers, or in one feed, whose server is searched if it can be.
struct SearchPage {
  let content: ServerDependencies
  let request: PageRequest

  private static let pageSize = 20

  /// The link from a search that has found nothing: to all offers, or to the start of the search.
  private static func wider(_ selection: ListSelection) -> (path: String, label: String) {
    selection.feed == nil
      ? ("/search", "New search")
      : (PageLinks.path("/search", [("q", wordsForAll(selection))]), "Search all offers")
  }

  /// The words and filters of a search in all offers.
  private static func wordsForAll(_ selection: ListSelection) -> String? {
    let words = selection.text.without(.feed).description
    return words.isEmpty ? nil : words
  }

  func page() async throws -> Page {
    let shown = try await content.fetchPresentations()
    let selection = ListSelection(request, shown, content: content, at: content.now())
    try SearchWords.check(selection.typed)
    let words = selection.typed.isEmpty ? nil : selection.typed
    let feed = selection.feed
    let titles = try await content.fetchTitles()
    let feedTitle = feed.map { titles[$0] ?? $0 }
    let recent = try await content.store.fetchRecentSearches()
    let number = request.fields.page()
    // A search on a feed's server shows the offers as the feed's own list does: with all of their
    // description.
    let known = if let feed { try await content.findKnownFeed(feed) } else { nil as KnownFeed? }
    let showsWhole = known?.isSearchable ?? false
    let feeds = try await content.fetchFeeds()
    let noun = feed.map { shown[$0].noun } ?? shown.noun(of: feeds.map(\.name))
    var found: SearchAnswer?
    if let words, selection.problem == nil {
      var query = SearchQuery(
        selection.selection, now: content.now(), limit: Self.pageSize, page: number)
      query.pricedFeeds = shown.pricedFeeds
      query.maximumBytes = Answer.pageBytes
      found = try await VisitorSearch(content: content, readLimit: request.readLimit).find(
        query, typed: words, limit: nil, isTrusted: request.isTrusted)
    }
    let news = try await GoodNewsLabels(
      of: found?.results.hits.map(\.offer.offer) ?? [], in: content.store, at: content.now())
    let colors = try await content.store.fetchPictureColors(
      of: found?.results.hits.map(\.offer.offer) ?? [])
    var page = Page("search", title: words.map { "Search: \($0.prefix(80))" } ?? "Search") {
      fields in
      fields.set(
        "searchbox",
        [
          "boxFeed": request.fields["feed"], "boxWords": words,
          "boxLabel": feedTitle.map { "Search \($0)" } ?? "Search all offers",
        ])
      if let feed, let feedTitle {
        fields.set(
          "scope",
          [
            "scopeTitle": feedTitle, "scopeLink": PageLinks.feed(feed),
            "allLink": PageLinks.path("/search", [("q", Self.wordsForAll(selection))]),
          ])
      }
      if words != nil {
        selection.fill(
          &fields, feeds: feeds, titles: titles,
          offers: found?.results.hits.map(\.offer) ?? [], asksWords: false)
      }
      guard let words, let found else {
        if words != nil { return }
        fields.set(
          "recentSearches",
          recent.map { search in
            [
              "recentWords": search.words, "recentName": search.feed,
              "recentFeed": search.feed.map { titles[$0] ?? $0 },
              "recentLink": PageLinks.path(
                "/search", [("q", search.words), ("feed", search.feed)]),
            ] as PageFields
          })
        fields.set("hasRecent", !recent.isEmpty)
        fields.set("isStart", true)
        return
      }
      fields.set("asked", words)
      if let error = found.error {
        fields.set(
          "problem",
          PageFields { problem in
            problem.set("problemTitle", "The server could not be searched")
            problem.set("problemText", ErrorWords(error, ofFeed: feedTitle))
            problem.set("again", request.back)
          })
        fields.set("isStored", !found.results.hits.isEmpty)
      }
      if let corrected = found.results.correctedWords {
        fields.set(
          "corrected",
          [
            "correctedWords": corrected,
            "correctedLink": PageLinks.path(
              "/search",
              [
                ("q", selection.text.replacing(words: corrected).description),
                ("feed", request.fields["feed"]),
              ]),
          ])
      }
      let isStandIn = found.isStandIn && found.error == nil && !found.results.hits.isEmpty
      fields.set("isStandIn", isStandIn)
      fields.set(
        "results",
        found.results.hits.map { hit in
          let offer = hit.offer.abridged(toBytes: ListSelection.textBytes)
          var card = PageFields(
            card: offer, shown[offer.ref.feed], at: content.now(), back: request.back,
            feedTitle: titles[hit.offer.ref.feed])
          card.describe(offer.offer, shown[offer.ref.feed])
          card.set("news", news.fields(of: offer.ref, shown[offer.ref.feed]))
          card.set(colors, of: offer.offer)
          if feed == nil { card.set("feedTitle", titles[hit.offer.ref.feed] ?? hit.offer.ref.feed) }
          MarkedParts.fill(&card, hit, isWhole: showsWhole)
          return card
        })
      fields.set("hasResults", !found.results.hits.isEmpty)
      fields.set("showsWhole", showsWhole)
      if found.results.hits.isEmpty, found.error == nil, found.results.correctedWords == nil {
        fields.set(
          "nothing",
          number > 1
            ? PageFields(
              empty: "No more results", "This search has fewer pages.", icon: "search",
              link: (
                PageLinks.path("/search", [("q", words), ("feed", feed)]), "Show the first page"
              ))
            : PageFields(
              empty: "No \(noun.singular) found for “\(words.prefix(80))”",
              "Try fewer or different words.",
              icon: "search", link: Self.wider(selection), watchLink: selection.watchLink,
              isAlert: true))
        fields.set("watchLink", nil as String?)
      }
      fields.setMore(
        found.results.hasMore ? selection.link(page: found.page + 1) : nil,
        label: "Load more")
    }
    page.menuEntry = .offers
    page.words = words
    // A response from the cache would not add to the recent searches, and a search on a feed's
    // server may have other results the next time.
    page.lifetime = .never
    return page
  }
}
