import Foundation
import OffersCore

extension MemoryStore: FeedRepository {
  package func fetchFeeds() async throws -> [Feed] {
    try read { state in
      state.subscribedFeeds.compactMap { name in
        state.feeds[name].map { feed in
          let offers = state.offers.filter { $0.ref.feed == name }
          return Feed(
            name: name, title: feed.title, source: feed.namedSource?.text ?? feed.source,
            currentCount: offers.count(where: state.isCurrent),
            goneCount: offers.count { $0.goneAt != nil },
            favoriteCount: state.record(of: user).favorites.keys.count { $0.feed == name },
            keptCount: state.missing(of: name).count { $0.since == nil },
            lastRun: feed.runs.last?.recorded, lastSuccessAt: feed.lastGoodRun?.recorded.startedAt,
            fetch: feed.fetch ?? FetchState(), chosenSource: feed.namedSource?.text,
            presentation: feed.presentation)
        }
      }
    }
  }

  package func fetchFormerFeeds() async throws -> [FormerFeed] {
    try read { state in
      state.feeds.filter { !$1.isSubscribed }.sorted { $0.key < $1.key }.map { name, feed in
        let offers = state.offers.filter { $0.ref.feed == name }
        return FormerFeed(
          name: name, title: feed.title, source: feed.namedSource?.text,
          currentCount: offers.count(where: state.isCurrent),
          goneCount: offers.count { $0.goneAt != nil },
          favoriteCount: state.record(of: user).favorites.keys.count { $0.feed == name })
      }
    }
  }

  package func fetchPresentations() async throws -> [String: FeedPresentation] {
    try read { $0.feeds.compactMapValues(\.presentation) }
  }

  package func findSource(of feed: String) async throws -> String? {
    try read { $0.feeds[feed]?.source }
  }

  package func subscribe(to feed: String, source: String) async throws -> Bool {
    try StoredText.check(source)
    return try write { $0.put(feed, source: source, subscribes: true, at: Date()) }
  }

  package func unsubscribe(from feed: String) async throws -> Bool {
    try write { state in
      guard state.feeds[feed]?.isSubscribed == true else { return false }
      state.feeds[feed]?.unsubscribedAt = Date().inSeconds
      // The document's validators become invalid if the offers change while nobody syncs them.
      state.feeds[feed]?.fetch = nil
      state.feeds[feed]?.missing = []
      return true
    }
  }
}

extension MemoryState {
  /// Stores a feed, if it is unknown, and subscribes to it, unless it was unsubscribed after `time`.
  ///
  /// - Returns: whether this call subscribed to the feed.
  @discardableResult
  mutating func put(_ name: String, source: String, subscribes: Bool, at time: Date) -> Bool {
    guard let feed = feeds[name] else {
      feeds[name] = MemoryFeed(source: source, unsubscribedAt: subscribes ? nil : time.inSeconds)
      return subscribes
    }
    guard subscribes, let end = feed.unsubscribedAt, end <= time else { return false }
    feeds[name]?.unsubscribedAt = nil
    return true
  }

  /// Stores a named source, unless the feed was unsubscribed.
  mutating func setSource(_ source: NamedSource?, of feed: String) {
    if let source, feeds[feed]?.isSubscribed == true { feeds[feed]?.namedSource = source }
  }
}
