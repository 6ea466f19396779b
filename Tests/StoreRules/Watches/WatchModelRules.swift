import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Watches of a store against a model")
struct WatchModelRules {
  private static let reader = WatchHome.reader
  /// A feed with rewards, and one with prices.
  private static let feeds = ["ibotta", "shop"]
  private static let beginning = Date.at(999_990_000)

  /// An offer at a step; nil while it is not in its feed.
  private static func offer(_ number: Int, _ history: [WatchStep], at place: Int) -> FeedOffer? {
    let step = history[place]
    guard step.isInFeed else { return nil }
    return FeedOffer(
      "\(number)", name: step.isSelected ? "Coffee" : "Tea",
      description: isQuiet(number) ? nil : "Step \(place)", reward: step.reward,
      more: step.end.map { [.expiresAt: "\($0)"] } ?? [:])
  }

  /// Whether an offer has steps without a change.
  private static func isQuiet(_ number: Int) -> Bool { number == 0 }

  /// Adds a watch for each rule and repetition.
  private static func addWatches(
    to store: OffersDatabase
  ) async throws -> [(watch: Watch, rule: String)] {
    var watches: [(watch: Watch, rule: String)] = []
    for rule in WatchModel.rules {
      for repeats in Watch.Repeat.allCases {
        let draft = try WatchDraft(
          selection: "coffee", rule: rule, repeats: repeats.rawValue, reader)
        watches.append((try await store.putWatch(draft, now: beginning, reader), rule))
      }
    }
    return watches
  }

  /// Makes the steps of some offers of both feeds, each by one of two nodes, and compares what is told.
  private static func compare(_ kind: StoreKind, _ random: inout SeededGenerator) async throws {
    let opened = try await kind.open()
    let nodes = [opened.store, try await opened.openAgain()]
    let run = SyncRun(
      feed: feeds[1], source: "/shop.json", outcome: .unchanged, bytes: 1, startedAt: beginning,
      durationSeconds: 0)
    try await nodes[0].record(
      run, remember: nil, fetch: nil, presentation: FeedPresentation(valueRole: .price))
    let watches = try await addWatches(to: nodes[0])
    let times = WatchModel.times(&random)
    let histories = feeds.map { _ in
      (0..<3).map { _ in WatchModel.history(at: times, &random) }
    }
    for (place, seconds) in times.enumerated() {
      for feed in feeds.indices.shuffled(using: &random) {
        let offers = histories[feed].enumerated().compactMap { number, history in
          offer(number, history, at: place)
        }
        // The second node finds nothing new.
        for node in nodes.shuffled(using: &random) {
          try await node.sync(offers, feed: feeds[feed], at: seconds, telling: reader)
        }
      }
      if random.below(2) == 0 {
        async let first = nodes[0].lookAtWatches(now: .at(seconds), reader)
        async let second = nodes[1].lookAtWatches(now: .at(seconds), reader)
        _ = try await (first, second)
      } else {
        for node in nodes.shuffled(using: &random) {
          try await node.lookAtWatches(now: .at(seconds), reader)
        }
      }
    }
    for (watch, rule) in watches {
      let notices = try await nodes[0].fetchNotices(of: watch.id, limit: 1000)
      for (feed, name) in feeds.enumerated() {
        for (number, history) in histories[feed].enumerated() {
          // What stays while the best becomes too old is not told, and the model takes it for a step.
          if rule == "near-best 5% 10d", isQuiet(number) { continue }
          let told = notices.reversed()
            .filter { $0.offer == OfferRef(feed: name, offerID: "\(number)") }
            .map { times.firstIndex(of: Int($0.at.timeIntervalSince1970)) ?? -1 }
          let expected = WatchModel.told(rule, watch.repeats, feed == 0, history)
          #expect(
            told == expected,
            "\(rule), \(watch.repeats), offer \(number) of \(name): \(history)")
        }
      }
    }
  }

  // 56 watches see 40 steps of 6 offers: 107,520 in 8 rounds.
  @Test(
    "two nodes tell what the model says, whichever of them syncs and looks first",
    arguments: StoreKind.allCases)
  func agreement(kind: StoreKind) async throws {
    var random = SeededGenerator(number: 6003)
    for _ in 0..<(TestSize.isLong ? 8 : 1) { try await Self.compare(kind, &random) }
  }
}
