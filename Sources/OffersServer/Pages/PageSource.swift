import Foundation
import OffersCore

/// What the pages read.
struct PageSource: Sendable {
  let content: ServedContent

  var store: any ServedContent.Store { content.store }
  var now: Date { content.now() }

  /// The subscribed feeds.
  func fetchFeeds() async throws -> [Feed] {
    try await store.fetchFeeds()
  }

  /// What is known of a feed besides its offers: from its definition, else by its name alone.
  func findKnownFeed(_ name: String) throws -> KnownFeed? {
    try content.syncer.fetchKnownFeeds().first { $0.name == name }
  }

  /// The names for people of all feeds that have one, those that were given up, too.
  ///
  /// - Parameter feeds: the subscribed ones, where they were fetched already.
  func fetchTitles(of feeds: [Feed]? = nil) async throws -> [String: String] {
    var titles = Dictionary(
      try await store.fetchFormerFeeds().map { ($0.name, $0.title ?? $0.name) },
      uniquingKeysWith: { one, _ in one })
    let feeds = if let feeds { feeds } else { try await fetchFeeds() }
    for feed in feeds { titles[feed.name] = Self.title(of: feed) }
    return titles
  }

  static func title(of feed: Feed) -> String { feed.title ?? feed.name }
}

extension PageFields {
  /// The links to all feeds.
  ///
  /// - Parameter current: the one that is shown; nil for all of them.
  mutating func setChips(_ feeds: [Feed], current: String?) {
    guard feeds.count > 1 || current != nil else { return }
    var chips = [
      PageFields { chip in
        chip.set("label", "All")
        chip.set("link", "/")
        chip.set("isCurrent", current == nil)
      }
    ]
    chips += feeds.map { feed in
      PageFields { chip in
        chip.set("label", PageSource.title(of: feed))
        chip.set("link", PageLinks.feed(feed.name))
        chip.set("isCurrent", feed.name == current)
      }
    }
    set("chips", PageFields { $0.set("chipList", chips) })
  }

  /// The link to the next page of a list.
  ///
  /// - Parameter isAutomatic: whether it comes by itself when the end of the list comes near.
  mutating func setMore(_ link: String?, label: String, isAutomatic: Bool) {
    guard let link else { return }
    set(
      "more",
      PageFields { more in
        more.set("moreLink", link)
        more.set("moreLabel", label)
        more.set("isAutomatic", isAutomatic)
      })
  }
}
