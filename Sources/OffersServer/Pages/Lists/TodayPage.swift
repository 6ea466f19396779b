import Foundation
import OffersCore

/// The start page of several feeds: rails of cards, which are scrolled to the side. They show the favorites that
/// have become better or come back, the offers that end soon, those that are new since the last look, and the
/// first offers of each feed in its own layout. With one feed the start page is its list.
struct TodayPage {
  let content: ServerDependencies
  let request: PageRequest

  static let title = "Today"
  /// The number of cards of a rail, and of rails of feeds. The feeds beyond it are in the row of feeds.
  private static let cardLimit = 12
  private static let feedLimit = 30
  /// How far back changes of favorites are read, in seconds: as far as the page of changes shows them.
  private static let favoriteSeconds = 7.0 * 86_400
  private static let changeLimit = 300

  /// A row of cards, with the list that its link shows.
  private struct Rail {
    let title: String
    let note: String
    let link: String
    var layout = FeedLayout.grid
    let offers: [UserOffer]
    /// The labels of cards that say more than their usual ones, by offer.
    var labels: [OfferRef: PageFields] = [:]
  }

  func page() async throws -> Page {
    let feeds = try await content.fetchFeeds()
    // The addresses of lists began here before there was this page.
    guard feeds.count > 1, request.fields.isEmpty else {
      return try await OffersPage(content: content, request: request).page()
    }
    let shown = try await content.fetchPresentations()
    let titles = try await content.fetchTitles(of: feeds)
    let now = content.now()
    var rails = [
      try await favorites(shown, at: now), try await ending(shown, at: now),
      try await unseen(at: now),
    ].compactMap(\.self)
    for feed in feeds.prefix(Self.feedLimit) {
      let presentation = shown[feed.name]
      let list = ListSelection(
        PageRequest(path: PageLinks.feed(feed.name)), own: feed.name, shown, content: content,
        at: now)
      rails += [
        try await rail(feed.shownTitle, list, presentation.noun, presentation.layout)
      ].compactMap(\.self)
    }
    let news = try await GoodNewsLabels(
      of: rails.flatMap(\.offers).map(\.offer), in: content.store, at: now)
    let count = try await content.store.countOffers(OfferQuery(now: now))
    var page = Page("today", title: Self.title, menuEntry: .offers) { fields in
      fields.set("count", Units.count(count, shown.noun(of: feeds.map(\.name))))
      fields.setHeld(
        feeds, shown, at: now, namesFeeds: true, mayDecide: request.mayDecide, back: request.address
      )
      fields.setChips(feeds, current: "/")
      fields.set(
        "rails",
        rails.map { rail in
          PageFields { fields in
            fields.set("railTitle", rail.title)
            fields.set("railNote", rail.note)
            fields.set("isGood", !rail.labels.isEmpty)
            fields.set("railLink", rail.link)
            fields.set(rail.layout)
            fields.set("isRail", true)
            fields.set(
              "cards",
              rail.offers.map { offer in
                let (ref, presentation) = (offer.ref, shown[offer.ref.feed])
                var card = PageFields(
                  card: offer, presentation, at: now, back: request.back,
                  feedTitle: titles[ref.feed]
                )
                card.describe(offer.offer, presentation)
                card.set("news", rail.labels[ref] ?? news.fields(of: ref, presentation))
                return card
              })
          }
        })
      if rails.isEmpty {
        fields.set("nothing", OffersPage(content: content, request: request).nothing(feeds))
      }
    }
    page.sidebarFeeds = feeds
    // The definitions of feeds may change without a write to the database.
    page.lifetime = .seconds(10)
    return page
  }

  /// The rail of the first offers of a list; nil for an empty list.
  private func rail(
    _ title: String, _ list: ListSelection, _ noun: OfferNoun, _ layout: FeedLayout = .grid
  ) async throws -> Rail? {
    let offers = try await content.store.fetchOffers(
      list.query(page: 1, size: Self.cardLimit))
    if offers.isEmpty { return nil }
    let count =
      offers.count < Self.cardLimit
      ? offers.count : try await content.store.countOffers(list.query)
    return Rail(
      title: title, note: Units.count(count, noun), link: list.link(), layout: layout,
      offers: offers)
  }

  private func ending(_ shown: FeedPresentations, at now: Date) async throws -> Rail? {
    let list = ListSelection(
      PageRequest(path: OffersPage.path, query: "ending=1&sort=expiry"), shown, content: content,
      at: now)
    return try await rail("Ends soon", list, .offer)
  }

  /// The new offers among the changes that the page of changes has not shown yet.
  private func unseen(at now: Date) async throws -> Rail? {
    var (query, isMarked) = try await content.unseenChanges(at: now)
    query.kinds = [.new]
    query.limit = Self.changeLimit
    query.textBytes = ListSelection.textBytes
    let offers = try await content.store.fetchChanges(query).changes.reversed().compactMap(\.offer)
      .filter { !$0.isGone && !$0.isExpired(at: now) }
    if offers.isEmpty { return nil }
    return Rail(
      title: isMarked ? "New since your last look" : "New this week",
      note: Units.count(offers.count, OfferNoun.offer), link: "/changes",
      offers: Array(offers.prefix(Self.cardLimit)))
  }

  /// The favorites that came back, pay more or cost less than before, the last change first. What counts is the
  /// value before the first change and the present one, however often it went up and down in between.
  private func favorites(_ shown: FeedPresentations, at now: Date) async throws -> Rail? {
    var query = ChangeQuery(
      since: now.addingTimeInterval(-Self.favoriteSeconds), favoritesOnly: true,
      kinds: [.up, .down, .back], limit: Self.changeLimit, now: now)
    query.textBytes = ListSelection.textBytes
    var changes: [OfferRef: [OfferChange]] = [:]
    for change in try await content.store.fetchChanges(query).changes {
      guard let offer = change.offer, !offer.isGone, !offer.isExpired(at: now) else { continue }
      changes[offer.ref, default: []].append(change)
    }
    var found: [(offer: UserOffer, at: Date, label: String)] = []
    var (risen, fallen, returned) = (GoodSum(), GoodSum(), 0)
    for (ref, changes) in changes {
      guard let last = changes.last, let offer = last.offer else { continue }
      if changes.contains(where: { $0.kind == .back }) {
        returned += 1
        found.append((offer, last.at, "Back"))
        continue
      }
      let isPrice = shown[ref.feed].hasPrices
      guard let before = changes.first?.oldReward,
        let difference = offer.reward?.difference(from: before),
        difference.isPositive != isPrice
      else { continue }
      if isPrice { fallen.add(difference) } else { risen.add(difference) }
      found.append((offer, last.at, content.texts.text(ofDifference: difference)))
    }
    if found.isEmpty { return nil }
    found.sort { ($1.at, $0.offer.ref.description) < ($0.at, $1.offer.ref.description) }
    let notes = [
      risen.text("\(Units.count(risen.count)) went up", content.texts),
      fallen.text(
        fallen.count == 1 ? "1 price fell" : "\(Units.count(fallen.count)) prices fell",
        content.texts),
      returned > 0 ? "\(Units.count(returned)) came back" : nil,
    ]
    return Rail(
      title: "Your favorites", note: notes.compactMap(\.self).joined(separator: " · "),
      link: "/changes?favorites=1", offers: found.prefix(Self.cardLimit).map(\.offer),
      labels: Dictionary(
        found.map { found in
          (
            found.offer.ref,
            ["newsKind": "up", "newsLabel": found.label, "newsAt": found.at] as PageFields
          )
        }, uniquingKeysWith: { one, _ in one }))
  }
}

/// The number of values that became better, and by how much together: the amounts in each currency. A
/// percentage stands by itself, because percentages of different prices have no sum.
private struct GoodSum {
  private(set) var count = 0
  private var amounts: [String?: Int64] = [:]
  private var percentages: [Reward.Value] = []

  mutating func add(_ difference: Reward.Value) {
    count += 1
    switch difference {
    case .percent: percentages.append(difference)
    case .amount(let units, let currency):
      let (sum, didOverflow) = amounts[currency, default: 0].addingReportingOverflow(units)
      if !didOverflow { amounts[currency] = sum }
    }
  }

  /// The words with the sum behind them; nil if there is nothing.
  func text(_ words: String, _ texts: any FilterTextReader) -> String? {
    if count == 0 { return nil }
    let sums = amounts.sorted { ($0.key ?? "") < ($1.key ?? "") }
      .map { Reward.Value.amount(minorUnits: $0.value, currency: $0.key) }
    let shown = sums.isEmpty && percentages.count == 1 ? percentages : sums
    return ([words] + shown.map { texts.text(ofDifference: $0) }).joined(separator: ", ")
  }
}
