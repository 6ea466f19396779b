import Foundation
import OffersCore

/// The words, the filters and the order of a list of offers, as given in the address of a page.
struct ListSelection {
  private(set) var selection = Selection()
  /// The text with words and filters, as it stands in the address; empty for none.
  let typed: String
  /// The text as it was parsed.
  private(set) var text = SelectionText()
  /// Why the text cannot be used; nil if it can. Then it has the same effect as none.
  private(set) var problem: OffersError?
  /// The values of the filters that are set, as they stand in the address, without those that the page implies.
  private var texts: [OfferFilter: String] = [:]
  private let sort: OfferQuery.Sort
  /// The order that the form has chosen; nil for that of the text.
  private let chosenSort: OfferQuery.Sort?
  private let isReversed: Bool
  private let isFormReversed: Bool
  private let pricedFeeds: Set<String>
  private let now: Date
  private let path: String
  private let isFavorites: Bool
  /// The feed that the page belongs to, which the form cannot change.
  private let own: String?

  var feed: String? { selection.feed }

  /// - Parameter own: the feed that the page belongs to; nil for a page of all feeds.
  init(
    _ request: PageRequest, own: String? = nil, isFavorites: Bool = false,
    _ presentations: FeedPresentations, content: ServerDependencies, at now: Date
  ) {
    let fields = request.fields
    path = request.path
    self.own = own
    self.isFavorites = isFavorites
    self.now = now
    pricedFeeds = presentations.pricedFeeds
    typed = fields["q"].map(SearchWords.spaced) ?? ""
    do {
      text = try SelectionText(parsing: typed)
      selection = try text.selection(at: now, content.texts)
    } catch {
      problem = error as? OffersError
    }
    chosenSort = fields["sort"].flatMap(OfferQuery.Sort.init)
    sort = chosenSort ?? text.sort ?? .feed
    isFormReversed = fields.isSet("reverse")
    isReversed = isFormReversed || chosenSort == nil && text.isReversed
    for (filter, question) in ListQuestions.filters where !isImplied(filter, question) {
      var (text, value) = (fields[question.field], fields[question.field])
      if case .box(let meaning) = question.input {
        (text, value) = fields.isSet(question.field) ? ("1", meaning) : (nil, nil)
      }
      guard let text, let value else { continue }
      // A value that a page cannot use has the same effect as none, as in every field of a query.
      if (try? filter.set(value, in: &selection, at: now, content.texts)) != nil {
        texts[filter] = text
      }
    }
    if let own { selection.feed = own }
    if isFavorites { selection.favoritesOnly = true }
  }

  /// Whether the page has the filter in any case.
  private func isImplied(_ filter: OfferFilter, _ question: OfferFilter.Question) -> Bool {
    filter == .feed && own != nil || question.isOfFavorites && isFavorites
  }

  /// The query for all offers of the list, not only one page of it.
  var query: OfferQuery {
    var query = OfferQuery(now: now, sort: sort, isReversed: isReversed)
    query.selection = selection
    query.pricedFeeds = pricedFeeds
    return query
  }

  /// The maximum size of a text in a list, in bytes. Longer texts are truncated; the offer's own
  /// page shows them whole.
  static let textBytes = 2 << 10

  /// The query for one page of the list.
  ///
  /// - Parameter size: the number of offers to fetch: one more than the page shows, to determine whether
  ///   there is a next page.
  func query(page: Int, size: Int, textBytes: Int = Self.textBytes) -> OfferQuery {
    var query = query
    query.textBytes = textBytes
    query.limit = size
    query.offset = (page - 1) * (size - 1)
    return query
  }

  /// Whether a filter is set besides those that the page itself implies.
  var narrows: Bool {
    !typed.isEmpty
      || ListQuestions.filters.contains { filter, _ in
        filter.test != nil && texts[filter] != nil
      }
  }

  /// The link to the page that watches the offers of the list; nil for a list without words and filters.
  var watchLink: String? {
    guard narrows, problem == nil else { return nil }
    var watched = text
    if let own { watched.add(.feed, own) }
    if isFavorites { watched.add(.favorites, "true") }
    for (filter, question) in ListQuestions.filters {
      guard let text = texts[filter] else { continue }
      if case .flag = filter.value {
        watched.add(filter, "true")
      } else {
        watched.add(filter, question.boxValue ?? text)
      }
    }
    return PageLinks.path(WatchesPage.path, [("q", watched.withoutOrder.description)]) + "#form"
  }

  /// The message in place of a list whose offers have all expired, with a link to them.
  func allExpired(_ count: Int, _ noun: OfferNoun) -> PageFields {
    PageFields(
      empty: count == 1
        ? "The \(noun.singular) has expired" : "All \(Units.count(count, noun)) have expired",
      "New \(noun.plural) are listed here after a refresh.", icon: "clock",
      link: (link(more: [("expired", "1")]), "Show expired offers"))
  }

  /// The URL of the page with these filters and this order.
  func link(
    page: Int = 1, without left: OfferFilter? = nil, keepsWords: Bool = true,
    keepsOrder: Bool = true, more: [(String, String?)] = []
  ) -> String {
    let kept = keepsOrder ? typed : text.withoutOrder.description
    let words = [("q", keepsWords && !kept.isEmpty ? kept : nil)]
    let filters = ListQuestions.filters.map { ($1.field, $0 == left ? nil : texts[$0]) }
    let order = [
      ("sort", chosenSort == .feed && text.sort == nil ? nil : chosenSort?.rawValue),
      ("reverse", isFormReversed ? "1" : nil),
    ]
    return PageLinks.path(
      path,
      words + filters + (keepsOrder ? order : []) + more + [
        ("page", page == 1 ? nil : String(page))
      ])
  }
}

extension ListSelection {
  /// Sets the fields of the form that changes the filters and the order, and the fields of a chip
  /// for each of them that is set, whose link removes it.
  ///
  /// - Parameters:
  ///   - titles: the titles of feeds, by name, for the chip of the feed.
  ///   - offers: the offers on the page. The form proposes their categories and retailers, and
  ///     leaves out filters and orders by what none of them has.
  ///   - asksWords: whether the form asks for words and an order. A search has a field of its own, and its order.
  func fill(
    _ fields: inout PageFields, feeds: [Feed], titles: [String: String] = [:],
    offers: [UserOffer], asksWords: Bool = true
  ) {
    let proposals = [
      OfferFilter.Question.Trait.categories: Self.some(offers.flatMap(\.categories)),
      .retailers: Self.some(offers.compactMap(\.retailer)),
    ]
    func has(_ trait: OfferFilter.Question.Trait) -> Bool {
      switch trait {
      case .reward: offers.contains { $0.reward != nil && !pricedFeeds.contains($0.ref.feed) }
      case .price: offers.contains { $0.reward != nil && pricedFeeds.contains($0.ref.feed) }
      case .end: offers.contains { $0.expiresAt != nil }
      case .categories, .retailers: proposals[trait]?.isEmpty == false
      }
    }
    let sorts = ListQuestions.orders.filter { $0.sort == sort || $0.needs.map(has) ?? true }
      .map { PageFields(option: $0.sort.rawValue, $0.label, isChosen: $0.sort == sort) }
    let feedOptions =
      own != nil
      ? []
      : feeds.map { feed in
        PageFields(option: feed.name, feed.shownTitle, isChosen: feed.name == self.feed)
      }
    // A filter that no offer could pass is not offered.
    let asked = ListQuestions.filters.filter { filter, question in
      !isImplied(filter, question) && (texts[filter] != nil || question.needs.map(has) ?? true)
    }
    let inputs = asked.filter { $1.isField }.map { filter, question in
      var input = question.form
      input.set("value", texts[filter] ?? "")
      input.set("proposals", question.needs.flatMap { proposals[$0] } ?? [])
      return input
    }
    func boxes(isTimed: Bool) -> [PageFields] {
      asked.filter { $1.isBox && $0.isTimed == isTimed }.map { filter, question in
        var box = question.form
        box.set("isChosen", texts[filter] != nil)
        return box
      }
    }
    fields.set(
      "choice",
      [
        "formPath": path, "words": typed, "asksWords": asksWords,
        "sorts": asksWords ? sorts : [], "feedOptions": feedOptions.count > 1 ? feedOptions : [],
        "hasFeeds": feedOptions.count > 1, "inputs": inputs, "timedBoxes": boxes(isTimed: true),
        "chosenReverse": isReversed, "boxes": boxes(isTimed: false),
      ])
    fields.set("narrowed", chips(titles, asksWords: asksWords))
    fields.set("watchLink", watchLink)
    if let problem {
      fields.set(
        "problem",
        PageFields { fields in
          fields.set("problemTitle", problem.message)
          fields.set("problemText", problem.hint?.text ?? "")
        })
    }
  }

  private func chips(_ titles: [String: String], asksWords: Bool) -> [PageFields] {
    let words =
      asksWords && !typed.isEmpty ? [PageFields(chip: typed, link(keepsWords: false))] : []
    var chips =
      words
      + ListQuestions.filters.compactMap { filter, question in
        texts[filter].map { text in
          let label =
            switch question.input {
            case .feeds: titles[text] ?? text
            case .field: question.chip + text
            case .box: question.chip
            }
          return PageFields(chip: label, link(without: filter))
        }
      }
    if asksWords, sort != .feed || isReversed,
      let order = ListQuestions.orders.first(where: { $0.sort == sort })
    {
      chips.append(
        PageFields(chip: isReversed ? order.reversed : order.label, link(keepsOrder: false)))
    }
    return chips
  }

  /// The first 50 of the sorted distinct texts, without those of more than 100 characters.
  private static func some(_ texts: [String]) -> [String] {
    Array(Set(texts.filter { $0.unicodeScalars.count <= 100 }).sorted().prefix(50))
  }
}

extension PageFields {
  /// The message in place of an empty list.
  ///
  /// - Parameters:
  ///   - icon: the name of a symbol in icons.mustache, without its prefix `i-`.
  ///   - watchLink: the link to a watch of the search that has found nothing; nil for none.
  ///   - refreshes: whether there is a button that syncs feeds.
  ///   - feed: the feed that this button syncs; nil for all feeds.
  ///   - isAlert: whether screen readers announce the message immediately.
  init(
    empty title: String, _ text: String, icon: String, link: (path: String, label: String)? = nil,
    watchLink: String? = nil, refreshes: Bool = false, feed: String? = nil, isAlert: Bool = false
  ) {
    self = [
      "emptyTitle": title, "emptyText": text, "emptyIcon": icon, "emptyLink": link?.path,
      "emptyLabel": link?.label, "emptyWatch": watchLink, "emptyRefreshes": refreshes,
      "emptyFeed": feed, "isAlert": isAlert,
    ]
  }

  /// The message in place of a list that is empty because of an error, with a button that syncs.
  init(empty title: String, error: ErrorWords, feed: String) {
    self.init(empty: title, error.sentence, icon: "warning", refreshes: true, feed: feed)
    set("technical", error.details)
  }
}
