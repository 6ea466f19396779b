import Foundation
import OffersCore

/// The page of changes: new, changed, gone, returned and expiring offers, the newest first.
struct ChangesPage {
  let content: ServerDependencies
  let request: PageRequest

  private static let limit = 300
  private static let spans: [(name: String, label: String, days: Double)] = [
    ("1d", "24 hours", 1), ("7d", "7 days", 7), ("30d", "30 days", 30),
  ]
  /// The kinds, in the order in which a day lists them.
  private static let kinds: [(kind: OfferChange.Kind, label: String)] = [
    (.new, "New"), (.up, "Up"), (.down, "Down"), (.back, "Back"), (.expiring, "Expiring"),
    (.changed, "Changed"), (.gone, "Gone"), (.first, "First sync"),
  ]
  /// The number of changes of one kind and day that are shown at once.
  private static let shownCount = 6

  private var span: (name: String, label: String, days: Double) {
    Self.spans.first { $0.name == request.fields["since"] } ?? Self.spans[1]
  }
  private var kind: OfferChange.Kind? { request.fields["kind"].flatMap(OfferChange.Kind.init) }
  private var favoritesOnly: Bool { request.fields.isSet("favorites") }

  func page() async throws -> Page {
    let now = content.now()
    var query = ChangeQuery(since: now.addingTimeInterval(-span.days * 86_400), now: now)
    query.kinds = kind.map { [$0] }
    query.favoritesOnly = favoritesOnly
    query.limit = Self.limit
    query.textBytes = ListSelection.textBytes
    let (oldestFirst, lastID) = try await content.store.fetchChanges(query)
    let changes = Array(oldestFirst.reversed())
    let titles = try await content.fetchTitles()
    let shown = try await content.fetchPresentations()
    var page = Page("changes", title: "What is new", menuEntry: .changes) { fields in
      setMenu(&fields)
      fields.set("count", Units.count(changes.count, "change"))
      fields.set("isCut", changes.count == Self.limit)
      // A part of the changes does not show what else is new.
      let showsAll = span.days >= 7 && kind == nil && !favoritesOnly && changes.count < Self.limit
      if showsAll { fields.set("latest", String(lastID)) }
      fields.set("days", days(of: changes, titles, shown))
      if changes.isEmpty { fields.set("nothing", nothing) }
    }
    // The page lists expiring offers, which depend on the current time. A minute's delay is
    // harmless.
    page.lifetime = .seconds(60)
    return page
  }

  private var nothing: PageFields {
    if kind != nil || favoritesOnly {
      return PageFields(
        empty: "Nothing of this kind", "No change fits all of these choices.", icon: "search",
        link: (link(), "Show all changes"))
    }
    return PageFields(
      empty: "Nothing new",
      "New offers, offers that are gone and changed rewards are listed here after a refresh.",
      icon: "news", refreshes: true)
  }

  private func link(
    since: String? = nil, kind: OfferChange.Kind? = nil, favorites: Bool = false
  ) -> String {
    PageLinks.path(
      "/changes",
      [
        ("since", since == "7d" ? nil : since), ("kind", kind?.rawValue),
        ("favorites", favorites ? "1" : nil),
      ])
  }

  /// Sets the menu of choices, and the links that take one back.
  private func setMenu(_ fields: inout PageFields) {
    fields.set(
      "spans",
      Self.spans.map { PageFields(option: $0.name, $0.label, isChosen: $0.name == span.name) })
    fields.set(
      "kinds",
      Self.kinds.map { PageFields(option: $0.kind.rawValue, $0.label, isChosen: $0.kind == kind) })
    fields.set("chosenFavorites", favoritesOnly)
    var chosen: [PageFields] = []
    if span.name != "7d" {
      chosen.append(PageFields(chip: span.label, link(kind: kind, favorites: favoritesOnly)))
    }
    if let kind, let label = Self.kinds.first(where: { $0.kind == kind })?.label {
      chosen.append(PageFields(chip: label, link(since: span.name, favorites: favoritesOnly)))
    }
    if favoritesOnly {
      chosen.append(PageFields(chip: "Favorites", link(since: span.name, kind: kind)))
    }
    fields.set("narrowed", chosen)
  }

  private func days(
    of changes: [OfferChange], _ titles: [String: String], _ shown: FeedPresentations
  ) -> [PageFields] {
    var days: [(day: String, changes: [OfferChange])] = []
    for change in changes {
      let day = Units.day(change.at)
      if days.last?.day != day { days.append((day, [])) }
      days[days.count - 1].changes.append(change)
    }
    return days.map { day, changes in
      [
        "day": day, "dayText": DayText.heading(day, today: Units.day(content.now())),
        "kindGroups": groups(of: changes, titles, shown),
      ] as PageFields
    }
  }

  /// The changes of a day by their kind, of which the first few are shown at once.
  private func groups(
    of changes: [OfferChange], _ titles: [String: String], _ shown: FeedPresentations
  ) -> [PageFields] {
    var groups: [ChangeKindLabel: [[OfferChange]]] = [:]
    for way in Self.ways(of: changes) {
      groups[ChangeKindLabel(of: way, shown[way[0].feed]), default: []].append(way)
    }
    let order = Self.kinds.map(\.kind)
    return groups.sorted {
      let (one, other) = ($0.key, $1.key)
      let places = [one, other].map { order.firstIndex(of: $0.kind) ?? order.count }
      return places[0] == places[1] ? !one.isPrice && other.isPrice : places[0] < places[1]
    }.map { label, ways in
      let rows = ways.map { row($0, titles, shown) }
      return PageFields { group in
        group.set("kind", label.color.rawValue)
        group.set("kindLabel", label.text(Self.kinds.first { $0.kind == label.kind }?.label))
        group.set("kindCount", Units.count(ways.count))
        group.set("rows", Array(rows.prefix(Self.shownCount)))
        let rest = Array(rows.dropFirst(Self.shownCount))
        guard !rest.isEmpty else { return }
        group.set("rest", ["restLabel": "\(Units.count(rest.count)) more", "rows": rest])
      }
    }
  }

  /// The changes of a day as rows, each the newest first: a value that goes up and down on one day has one row.
  private static func ways(of changes: [OfferChange]) -> [[OfferChange]] {
    var ways: [[OfferChange]] = []
    var places: [OfferRef: Int] = [:]
    for change in changes {
      guard let ref = change.offer?.ref, [.up, .down].contains(change.kind) else {
        ways.append([change])
        continue
      }
      if let place = places[ref] {
        ways[place].append(change)
      } else {
        places[ref] = ways.count
        ways.append([change])
      }
    }
    return ways
  }

  /// The row of a feed's first sync, which leads to the feed's page.
  private func firstSyncRow(
    _ change: OfferChange, _ titles: [String: String], _ noun: OfferNoun
  ) -> PageFields {
    PageFields { row in
      let title = titles[change.feed] ?? change.feed
      row.set("isFirst", true)
      row.set("href", PageLinks.feed(change.feed))
      row.set("name", title)
      row.set("at", change.at)
      row.set("offerCount", Units.count(change.offerCount ?? 0, noun))
      row.set("initial", PageFields.initial(of: title))
      row.set("hue", PageFields.hue(of: title))
    }
  }

  private func row(
    _ way: [OfferChange], _ titles: [String: String], _ shown: FeedPresentations
  ) -> PageFields {
    let change = way[0]
    let earliest = way[way.count - 1]
    guard let offer = change.offer else {
      return firstSyncRow(change, titles, shown[change.feed].noun)
    }
    let presentation = shown[offer.ref.feed]
    var row = PageFields(card: offer, presentation, at: content.now(), back: request.back)
    row.set("at", change.at)
    row.set("feedTitle", titles[offer.ref.feed] ?? offer.ref.feed)
    if change.oldReward != change.newReward {
      let before =
        [earliest.oldReward?.text].compactMap(\.self)
        + way.dropFirst().reversed().compactMap(\.newReward?.text)
      row.set("oldReward", before.isEmpty ? nil : ValueWay.text(before))
      row.set("newReward", change.newReward?.text)
      row.set("delta", delta(of: way))
      row.set(
        "deltaColor", ChangeKindLabel(of: way, presentation).color == .up ? "up" : "down")
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
    if change.kind == .expiring, let end = offer.expiresAt { row.set("end", end) }
    if let returned = change.returned {
      row.set(
        "returned",
        ["returnedLink": PageLinks.offer(returned), "returnedRef": returned.description])
    }
    return row
  }

  /// By how much the value has changed in all, such as `+$0.75`; nil if it has not, or that is not known.
  private func delta(of way: [OfferChange]) -> String? {
    guard let value = Self.difference(of: way) else { return nil }
    return content.texts.text(ofDifference: value)
  }

  /// The difference between the values before and after changes, the newest first; nil if there is none, or it is not
  /// known.
  fileprivate static func difference(of way: [OfferChange]) -> Reward.Value? {
    guard let old = way.last?.oldReward, let new = way.first?.newReward, old != new else {
      return nil
    }
    return new.difference(from: old)
  }
}

extension PageFields {
  init(_ text: TextChange) {
    self = ["textLabel": text.label, "oldText": text.shown.old, "newText": text.shown.new]
  }
}

/// The name and the color of a change's kind. Of a price the kind names it, and a price that falls is good
/// news.
struct ChangeKindLabel: Hashable {
  let kind: OfferChange.Kind
  /// Whether a price has gone up or down, and not a reward.
  let isPrice: Bool

  /// - Parameter way: a change, or several of one value, the newest first.
  init(of way: [OfferChange], _ presentation: FeedPresentation) {
    var kind = way[0].kind
    if way.count > 1, let value = ChangesPage.difference(of: way) {
      kind = value.isPositive ? .up : .down
    }
    self.kind = kind
    isPrice = presentation.valueRole == .price && [.up, .down].contains(kind)
  }

  /// The kind whose color is used: a price that goes up looks like a reward that goes down.
  var color: OfferChange.Kind {
    guard isPrice else { return kind }
    return kind == .up ? .down : .up
  }

  func text(_ usual: String?) -> String? {
    guard isPrice else { return usual }
    return kind == .up ? "Price up" : "Price down"
  }
}

extension Reward.Value {
  /// Whether a difference is a rise.
  var isPositive: Bool {
    switch self {
    case .amount(let units, _): units > 0
    case .percent(let hundredths): hundredths > 0
    }
  }
}

extension FilterTextReader {
  /// A difference of two values with its sign, such as `+$0.75`.
  func text(ofDifference value: Reward.Value) -> String {
    let size: Reward.Value =
      switch value {
      case .amount(let units, let currency):
        .amount(minorUnits: Int64(clamping: units.magnitude), currency: currency)
      case .percent(let hundredths): .percent(hundredths: Int64(clamping: hundredths.magnitude))
      }
    return (value.isPositive ? "+" : "−") + text(of: size)
  }
}
