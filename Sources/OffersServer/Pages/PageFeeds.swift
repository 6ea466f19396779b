import Foundation
import OffersCore
import OffersStore

/// The feeds as pages show them.
extension ServerDependencies {
  /// The subscribed feeds, in the order of pages.
  func fetchFeeds() async throws -> [Feed] {
    // Invalid definitions are reported by what needs them; the feeds are then ordered by titles.
    let known = (try? await syncer.fetchKnownFeeds()) ?? []
    let positions = Dictionary(
      known.map { ($0.name, $0.position) }, uniquingKeysWith: { one, _ in one })
    return try await store.fetchFeeds().sorted {
      Self.precedes(
        (positions[$0.name] ?? nil, $0.shownTitle),
        (positions[$1.name] ?? nil, $1.shownTitle))
    }
  }

  /// The order of feeds on pages: those of the user's own file first, in the order of the file; then
  /// the others, by their titles.
  static func precedes(
    _ one: (position: Int?, title: String), _ other: (position: Int?, title: String)
  ) -> Bool {
    if one.position != other.position {
      return (one.position ?? .max) < (other.position ?? .max)
    }
    return NaturalOrder.compare(one.title, other.title) < 0
  }

  /// The titles of all subscribed and formerly subscribed feeds, by name.
  ///
  /// - Parameter feeds: the subscribed feeds, if they are already fetched.
  func fetchTitles(of feeds: [Feed]? = nil) async throws -> [String: String] {
    var titles = Dictionary(
      try await store.fetchFormerFeeds().map { ($0.name, $0.title ?? $0.name) },
      uniquingKeysWith: { one, _ in one })
    let feeds = if let feeds { feeds } else { try await fetchFeeds() }
    for feed in feeds { titles[feed.name] = feed.shownTitle }
    return titles
  }

  /// The title of one feed, whether it is or was subscribed; its name if it has none.
  func fetchTitle(of feed: String) async throws -> String {
    if let found = try await store.fetchFeeds().first(where: { $0.name == feed }) {
      return found.shownTitle
    }
    return try await store.fetchFormerFeeds().first { $0.name == feed }?.title ?? feed
  }
}

extension Feed {
  var shownTitle: String { title ?? name }
}

extension PageFields {
  /// Sets the notes on feeds that have stopped, and on offers that are held back or kept, one for each
  /// feed that has some.
  mutating func setHeld(
    _ feeds: [Feed], _ presentations: FeedPresentations, at now: Date, namesFeeds: Bool = false,
    mayDecide: Bool,
    back: String
  ) {
    set(
      "held",
      feeds.compactMap { feed -> PageFields? in
        let noun = presentations[feed.name].noun
        let held = feed.fetch.held?.sentence(of: feed.currentCount, noun, at: now)
        let kept = KeptOffers.sentence(feed.keptApartCount, noun)
        let stop = feed.stopText(at: now).map { namesFeeds ? $0 : "The feed \($0)" }
        let texts = [stop, held, kept].compactMap(\.self)
        if texts.isEmpty { return nil }
        return PageFields { fields in
          fields.set("feedName", feed.name)
          if namesFeeds { fields.set("heldFeed", feed.shownTitle) }
          fields.set("heldText", texts.map { $0 + "." }.joined(separator: " "))
          fields.set("mayDecide", mayDecide && (held != nil || kept != nil))
          fields.set("mayKeep", held != nil)
          fields.set("back", back)
        }
      })
  }

  /// Sets the row of links to the list of all offers and to all feeds. The start page has none if there is only
  /// one feed.
  ///
  /// - Parameter current: the path of the page.
  mutating func setChips(_ feeds: [Feed], current: String) {
    guard feeds.count > 1 || current != "/" else { return }
    let all =
      feeds.count > 1 ? [(TodayPage.title, "/"), ("All", OffersPage.path)] : [("All", "/")]
    let chips = all + feeds.map { ($0.shownTitle, PageLinks.feed($0.name)) }
    set(
      "chips",
      [
        "chipList": chips.map { title, link in
          PageFields(chip: title, link, isCurrent: link == current)
        }
      ] as PageFields)
  }

  /// Sets the pair of links to a feed and to the site that its definition names as home.
  mutating func setPair(_ title: String, _ feed: String, site: String?, isList: Bool) {
    guard let site = PageLinks.outside(site) else { return }
    set(
      "pair",
      [
        "pairTitle": title, "pairLink": PageLinks.feed(feed), "isList": isList,
        "siteLink": PageLinks.path("/web", [("url", site)]),
      ] as PageFields)
  }

  /// Sets the list of feeds in the sidebar of wide screens.
  mutating func setSidebar(_ feeds: [Feed], current: String? = nil) {
    guard !feeds.isEmpty else { return }
    let rows = Self.sidebar(feeds, current: current)
    set("sidebar", ["sideFeeds": rows] as PageFields)
  }

  static func sidebar(_ feeds: [Feed], current: String? = nil) -> [PageFields] {
    feeds.map { feed in
      [
        "label": feed.shownTitle, "link": PageLinks.feed(feed.name),
        "feedCount": Units.count(feed.currentCount), "isCurrent": feed.name == current,
      ] as PageFields
    }
  }

  /// Sets the link to the next page of a list, which a script loads when the link is scrolled near the
  /// visible part of the page.
  mutating func setMore(_ link: String?, label: String) {
    guard let link else { return }
    set(
      "more",
      ["moreLink": link, "moreLabel": label] as PageFields)
  }
}
