import Foundation
import OffersCore

/// The page of changes: new, changed, gone, returned and expiring offers, the newest first.
struct ChangesPage {
  let source: PageSource
  let request: PageRequest

  /// The maximum number of changes on the page.
  private static let limit = 300
  private static let spans: [(name: String, label: String, days: Double)] = [
    ("1d", "24 hours", 1), ("7d", "7 days", 7), ("30d", "30 days", 30),
  ]
  private static let kinds: [(OfferChange.Kind, String)] = [
    (.new, "New"), (.up, "Up"), (.down, "Down"), (.changed, "Changed"), (.expiring, "Expiring"),
    (.gone, "Gone"), (.back, "Back"), (.first, "First sync"),
  ]

  func page() async throws -> Page {
    let now = source.now
    let span = Self.spans.first { $0.name == request.fields["since"] } ?? Self.spans[1]
    let kind = request.fields["kind"].flatMap(OfferChange.Kind.init)
    let favoritesOnly = request.fields.isSet("favorites")
    var query = ChangeQuery(since: now.addingTimeInterval(-span.days * 86_400), now: now)
    query.kinds = kind.map { [$0] }
    query.favoritesOnly = favoritesOnly
    query.limit = Self.limit
    query.textBytes = OfferChoice.textBytes
    let changes = Array(try await source.store.fetchChanges(query).changes.reversed())
    let titles = try await source.fetchTitles()
    let shown = try await source.fetchPresentations()

    func link(since: String, kind: OfferChange.Kind?, favorites: Bool) -> String {
      PageLinks.path(
        "/changes",
        [
          ("since", since == "7d" ? nil : since), ("kind", kind?.rawValue),
          ("favorites", favorites ? "1" : nil),
        ])
    }
    func chip(_ label: String, _ link: String, _ isCurrent: Bool) -> PageFields {
      PageFields { chip in
        chip.set("label", label)
        chip.set("link", link)
        chip.set("isCurrent", isCurrent)
      }
    }
    var page = Page("changes", title: "What is new", menuEntry: .changes) { fields in
      fields.set(
        "spans",
        Self.spans.map {
          chip(
            $0.label, link(since: $0.name, kind: kind, favorites: favoritesOnly),
            $0.name == span.name)
        })
      fields.set(
        "favoritesChip",
        chip(
          "★ Favorites", link(since: span.name, kind: kind, favorites: !favoritesOnly),
          favoritesOnly))
      fields.set(
        "kinds",
        [chip("All", link(since: span.name, kind: nil, favorites: favoritesOnly), kind == nil)]
          + Self.kinds.map {
            chip($0.1, link(since: span.name, kind: $0.0, favorites: favoritesOnly), $0.0 == kind)
          })
      fields.set("count", Units.count(changes.count, "change"))
      fields.set("isCut", changes.count == Self.limit)
      fields.set("days", days(of: changes, titles, shown))
      if changes.isEmpty {
        fields.set(
          "nothing",
          PageFields(
            empty: "Nothing new",
            "New offers, offers that are gone and changed rewards are listed here after a refresh.",
            icon: "news", refreshes: true))
      }
    }
    // The page lists expiring offers, which depend on the current time. A minute's delay is
    // harmless.
    page.lifetime = .seconds(60)
    return page
  }

  private func days(
    of changes: [OfferChange], _ titles: [String: String], _ shown: FeedPresentations
  ) -> [PageFields] {
    var days: [(day: String, rows: [PageFields])] = []
    for change in changes {
      let day = Units.day(change.at)
      if days.last?.day != day { days.append((day, [])) }
      days[days.count - 1].rows.append(row(change, titles, shown))
    }
    return days.map { day, rows in
      PageFields {
        $0.set("day", day)
        $0.set("dayText", DayText.heading(day, today: Units.day(source.now)))
        $0.set("rows", rows)
      }
    }
  }

  /// The row of a feed's first sync, which leads to the feed's page.
  private func firstSync(
    _ change: OfferChange, _ titles: [String: String], _ noun: OfferNoun
  ) -> PageFields {
    PageFields { row in
      let title = titles[change.feed] ?? change.feed
      row.set("isFirst", true)
      row.set("href", PageLinks.feed(change.feed))
      row.set("name", title)
      row.set("kind", change.kind.rawValue)
      row.set("kindLabel", Self.kinds.first { $0.0 == change.kind }?.1)
      row.set("at", time: change.at)
      row.set("offerCount", Units.count(change.offerCount ?? 0, noun))
      row.set("initial", PageFields.initial(of: title))
      row.set("hue", PageFields.hue(of: title))
    }
  }

  private func row(
    _ change: OfferChange, _ titles: [String: String], _ shown: FeedPresentations
  ) -> PageFields {
    guard let offer = change.offer else {
      return firstSync(change, titles, shown[change.feed].noun)
    }
    let presentation = shown[offer.ref.feed]
    var row = PageFields(
      card: offer, presentation, at: source.now, back: ReturnPath.checked(request.address))
    row.setKind(of: change, presentation, label: Self.kinds.first { $0.0 == change.kind }?.1)
    row.set("at", time: change.at)
    row.set("feedTitle", titles[offer.ref.feed] ?? offer.ref.feed)
    if change.oldReward != change.newReward {
      row.set("oldReward", change.oldReward?.text)
      row.set("newReward", change.newReward?.text)
    } else {
      row.set("plainReward", change.reward.map(presentation.valueText))
    }
    row.set("textChanges", change.texts.map(PageFields.init))
    let told = change.texts.map(\.field)
    let others = change.fields.filter { !told.contains($0) }
    if change.kind == .changed, !others.isEmpty {
      row.set(
        "fieldNames", others.map { $0.replacing(bytes: "_", with: " ") }.joined(separator: ", "))
    }
    if change.kind == .expiring, let end = offer.expiresAt { row.set("end", time: end) }
    if let returned = change.returned {
      row.set(
        "returned",
        PageFields { fields in
          fields.set("returnedLink", PageLinks.offer(returned))
          fields.set("returnedRef", returned.description)
        })
    }
    return row
  }
}

extension PageFields {
  /// A text before and after a change.
  init(_ text: TextChange) {
    self.init { fields in
      fields.set("textLabel", text.label)
      fields.set("oldText", text.shown.old)
      fields.set("newText", text.shown.new)
    }
  }

  /// Sets the name and the color of a change's kind. Of a price the kind names it, and a price that
  /// falls is good news.
  fileprivate mutating func setKind(
    of change: OfferChange, _ presentation: FeedPresentation, label: String?
  ) {
    let isPrice = presentation.valueRole == .price
    switch change.kind {
    case .up where isPrice:
      set("kind", OfferChange.Kind.down.rawValue)
      set("kindLabel", "Price up")
    case .down where isPrice:
      set("kind", OfferChange.Kind.up.rawValue)
      set("kindLabel", "Price down")
    default:
      set("kind", change.kind.rawValue)
      set("kindLabel", label)
    }
  }
}
