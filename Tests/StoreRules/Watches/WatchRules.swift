import Foundation
import OffersCore
import OffersFeeds
import OffersStore
import OffersTestSupport
import Testing

/// A store with watches of the owner.
struct WatchHome: Sendable {
  static let reader = FilterTextParser()
  let store: OffersDatabase

  init(_ kind: StoreKind) async throws { store = try await kind.open().store }

  /// Syncs a feed with offers of a name and a reward in cents.
  func sync(
    _ offers: [(id: String, name: String, cents: Int64)], at seconds: Int, ending: Int? = nil
  ) async throws {
    let more: [OfferField: String] = ending.map { [.expiresAt: "\($0)"] } ?? [:]
    try await store.sync(
      offers.map { FeedOffer($0.id, name: $0.name, reward: .dollars($0.cents), more: more) },
      at: seconds, telling: Self.reader)
  }

  @discardableResult
  func watch(
    _ selection: String, _ rule: String? = nil, repeats: String? = nil, isUrgent: Bool = false,
    at seconds: Int = 1500
  ) async throws -> Watch {
    try await store.putWatch(
      WatchDraft(
        selection: selection, rule: rule, repeats: repeats, isUrgent: isUrgent, Self.reader),
      now: .at(seconds), Self.reader)
  }

  func look(at seconds: Int) async throws {
    try await store.lookAtWatches(now: .at(seconds), Self.reader)
  }

  /// The notices, oldest first, such as `1: is a new match: $3.00`.
  func told() async throws -> [String] {
    try await store.fetchNotices().reversed().map {
      "\($0.offer?.offerID ?? $0.feed): \($0.sentence(Self.reader, at: $0.at))"
    }
  }
}

@Suite("Watches")
struct WatchRules {
  @Test("a new offer that matches is told once, and those that were there are not")
  func match() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      let old = ("1", "Coffee", Int64(300))
      try await home.sync([old, ("2", "Tea", 300)], at: 1000)
      try await home.watch("coffee reward:>=2")
      let next = [old, ("2", "Tea", 300), ("3", "Coffee pods", 100), ("4", "Iced coffee", 250)]
      try await home.sync(next, at: 2000)
      #expect(try await home.told() == ["4: is a new match: $2.50"])
      try await home.sync(next, at: 3000)
      #expect(try await home.told().count == 1)
      // It enters the selection by its reward.
      try await home.sync([old, ("3", "Coffee pods", 200)], at: 4000)
      #expect(try await home.told().last == "3: is a new match: $2.00")
    }
  }

  @Test("the watches of an offer are those that select it, whatever its value and its end")
  func concerning() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      try await home.sync([("1", "Coffee", 100), ("2", "Tea", 300)], at: 1000)
      try await home.store.setFavorites(named: ["1"], to: true)
      for selection in [
        "coffee reward:>=2", "tea", "is:favorite", "coffee -coffee", "ending:1d",
      ] {
        try await home.watch(selection)
      }
      let paused = try await home.watch("coffee")
      _ = try await home.store.setWatch(paused.id, isPaused: true, WatchHome.reader)
      func watches(_ id: String) async throws -> [String] {
        try await home.store.fetchWatches(
          concerning: OfferRef(feed: "ibotta", offerID: id), now: .at(2000), WatchHome.reader
        ).map(\.selection)
      }
      #expect(try await watches("1") == ["coffee reward:>=2", "is:favorite", "ending:1d"])
      #expect(try await watches("9") == [])
      try await home.sync([("2", "Tea", 300)], at: 3000)
      #expect(try await watches("1") == ["coffee reward:>=2", "is:favorite", "ending:1d"])
    }
  }

  @Test("each watch knows when it last told something")
  func lastTold() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      let watch = try await home.watch("coffee")
      try await home.watch("tea")
      try await home.sync([("1", "Coffee", 100)], at: 2000)
      try await home.sync([("1", "Coffee", 100), ("2", "Coffee", 100)], at: 3000)
      #expect(try await home.store.fetchLastTold() == [watch.id: .at(3000)])
    }
  }

  @Test("the offers of a new feed are told up to a limit, and the others count as told")
  func firstSync() async throws {
    for kind in [StoreKind.memory, .postgres] {
      let home = try await WatchHome(kind)
      try await home.watch("milk")
      let offers = (1...600).map { ("\($0)", "Milk", Int64(100)) }
      try await home.sync(offers, at: 2000)
      #expect(try await home.store.fetchNotices(limit: 1000).count == 500)
      try await home.sync(offers.map { ($0.0, "Milk", 200) }, at: 3000)
      #expect(try await home.store.fetchNotices(limit: 1000).count == 500)
    }
  }

  @Test("rules compare with what they told, and with the stored history")
  func rules() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      try await home.sync([("1", "Coffee", 200)], at: 1000)
      for rule in ["up 10%", "best", "at-least $3", "near-best 10%"] {
        try await home.watch("coffee", rule)
      }
      try await home.sync([("1", "Coffee", 210)], at: 2000)
      #expect(try await home.told() == ["1: is the best ever: $2.10, was $2.00"])
      try await home.sync([("1", "Coffee", 300)], at: 3000)
      #expect(
        try await home.told().dropFirst().sorted() == [
          "1: is $3.00, at least $3.00", "1: is the best ever: $3.00, was $2.10",
          "1: is up: $3.00, was $2.00",
        ])
    }
  }

  @Test("an offer that ends is told as time passes, and so is a reminder")
  func time() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      let day = 86_400
      try await home.sync([("1", "Coffee", 200)], at: 1000, ending: 10 * day)
      try await home.watch("coffee", "ending 48h", repeats: "daily", isUrgent: true)
      try await home.look(at: 7 * day)
      #expect(try await home.told() == [])
      try await home.look(at: 8 * day + 10)
      try await home.look(at: 8 * day + 20)
      let first = try await home.store.fetchNotices()
      #expect(first.count == 1 && first[0].isUrgent)
      try await home.look(at: 9 * day + 20)
      #expect(try await home.store.fetchNotices().count == 2)
      // It has ended.
      try await home.look(at: 11 * day)
      #expect(try await home.store.fetchNotices().count == 2)
    }
  }

  @Test("favorites are told without a watch, and those that end once")
  func favorites() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      try await home.sync([("1", "Coffee", 200), ("2", "Tea", 200)], at: 1000, ending: 300_000)
      try await home.store.setFavorites(named: ["1"], to: true)
      try await home.sync([("1", "Coffee", 250), ("2", "Tea", 250)], at: 2000, ending: 300_000)
      #expect(try await home.told() == ["1: is up: $2.50, was $2.00"])
      try await home.look(at: 200_000)
      try await home.look(at: 200_010)
      #expect(try await home.told().count == 2)
      try await home.sync([("2", "Tea", 250)], at: 210_000, ending: 300_000)
      #expect(try await home.told().last == "1: is gone from its feed")
      let both = [("2", "Tea", Int64(250)), ("1", "Coffee", 250)]
      try await home.sync(both, at: 220_000, ending: 300_000)
      #expect(try await home.told().last == "1: is back in its feed")
      // It may come back under another id.
      try await home.sync([both[0]], at: 230_000, ending: 300_000)
      let renamed = [both[0], ("9", "Coffee", 250)]
      try await home.sync(renamed, at: 240_000, ending: 300_000)
      #expect(try await home.told().last == "9: is back in its feed")
      let count = try await home.told().count
      try await home.sync(renamed, at: 250_000, ending: 300_000)
      #expect(try await home.told().count == count)
    }
  }

  @Test("a paused watch tells nothing, and begins anew when it is resumed")
  func pause() async throws {
    let home = try await WatchHome(.memory)
    let watch = try await home.watch("coffee")
    _ = try await home.store.setWatch(watch.id, isPaused: true, WatchHome.reader)
    try await home.sync([("1", "Coffee", 200)], at: 2000)
    _ = try await home.store.setWatch(watch.id, isPaused: false, now: .at(2500), WatchHome.reader)
    try await home.sync([("1", "Coffee", 300), ("2", "Coffee", 200)], at: 3000)
    #expect(try await home.told() == ["2: is a new match: $2.00"])
    try await home.store.removeWatch(watch.id)
    #expect(try await home.store.fetchNotices().map(\.watchID) == [nil])
    #expect(await refusal { try await home.store.removeWatch(watch.id) }?.code == .notFound)
  }

  @Test("what a removed offer was remembered by is removed with it")
  func removal() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      let now = 200 * 86_400
      try await home.sync([("1", "Coffee", 200), ("2", "Coffee", 200)], at: 1000)
      try await home.watch("coffee")
      try await home.sync([("2", "Coffee", 200)], at: 2000)
      try await home.sync([("2", "Coffee", 200)], at: now)
      let removed = try await home.store.prune(
        goneBefore: .at(now - 1), now: .at(now), trustsClock: true, isTrial: false)
      #expect(removed.offers == 1)
      let states = try await home.store.transaction(.read) {
        try $0.first("SELECT count(*) FROM watch_state") { $0.count(0) }
      }
      #expect(states == 1)
    }
  }

  @Test("the preview says what matches and how often it would have told")
  func preview() async throws {
    let home = try await WatchHome(.memory)
    for (seconds, cents) in [(1000, 200), (90_000, 300), (400_000, 200), (700_000, 300)] {
      try await home.sync([("1", "Coffee", Int64(cents)), ("2", "Tea", 100)], at: seconds)
    }
    let draft = try WatchDraft(selection: "coffee", rule: "at-least $3", WatchHome.reader)
    let (count, first, preview) = try await home.store.previewWatch(
      draft, now: .at(800_000), WatchHome.reader)
    #expect(count == 1 && first.map(\.ref.offerID) == ["1"])
    let lines = preview.lines(selecting: count, first: first.map(\.name))
    #expect(
      lines == [
        "Selects 1 offer now: Coffee",
        "Judging by the stored history, it would have told you 2 times in 9 days.",
      ])
    // The value of the coffee is above the bound now, and was below it twice.
    let bounded = try WatchDraft(
      selection: "coffee reward:<=2", rule: "match", WatchHome.reader)
    let other = try await home.store.previewWatch(bounded, now: .at(800_000), WatchHome.reader)
    #expect(other.count == 0 && other.first.isEmpty && other.preview.count == 2)
    // A history of less than a day says nothing.
    let young = try await home.store.previewWatch(draft, now: .at(1001), WatchHome.reader)
    #expect(young.preview.lines(selecting: 1, first: ["Coffee"]).count == 1)
  }

  @Test("another name or urgency keeps what a watch remembers, and another rule forgets it")
  func edited() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      try await home.sync([("1", "Coffee", 300)], at: 1000)
      let watch = try await home.watch("coffee", "at-least $3", repeats: "never")
      try await home.sync([("1", "Coffee", 100)], at: 2000)
      func edit(_ rule: String, name: String) async throws {
        let draft = try WatchDraft(
          name: name, selection: "coffee", rule: rule, repeats: "never", isUrgent: true,
          WatchHome.reader)
        _ = try await home.store.putWatch(draft, id: watch.id, now: .at(2500), WatchHome.reader)
      }
      try await edit("at-least $3", name: "Morning")
      try await home.sync([("1", "Coffee", 310)], at: 300_000)
      #expect(try await home.told() == [])
      try await home.sync([("1", "Coffee", 100)], at: 400_000)
      try await edit("at-least $2", name: "Morning")
      try await home.sync([("1", "Coffee", 310)], at: 600_000)
      #expect(try await home.told() == ["1: is $3.10, at least $2.00"])
    }
  }

  @Test("nothing is told again of the offers of a removed feed")
  func removedFeed() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      let day = 86_400
      try await home.sync([("1", "Coffee", 100)], at: 1000)
      try await home.watch("coffee", "at-least $2", repeats: "daily")
      try await home.sync([("1", "Coffee", 300)], at: 2000)
      try await home.look(at: 2 * day)
      #expect(try await home.told().count == 2)
      #expect(try await home.store.unsubscribe(from: "ibotta"))
      try await home.look(at: 4 * day)
      #expect(try await home.told().count == 2)
      #expect(try await home.store.fetchNextDueTime(after: .at(4 * day)) == nil)
    }
  }

  @Test("what a feed holds back is told once over the channels of a user")
  func heldBack() async throws {
    for kind in StoreKind.allCases {
      let home = try await WatchHome(kind)
      try await home.sync([("1", "Coffee", 100)], at: 1000)
      _ = try await home.store.addChannel(named: "desk", settings: "{}", quietHours: nil)
      _ = try await home.store.transaction(.write) { transaction in
        var state = FetchState()
        state.held = HeldBack(missingCount: 1, since: .at(1500), until: .at(90_000))
        let key = try #require(try FeedTable.findKey("ibotta", in: transaction))
        try FetchStateTable.save(state, feedKey: key, in: transaction)
      }
      for seconds in [2000, 3000] { try await home.look(at: seconds) }
      let told = try await home.told()
      #expect(told.count == 1 && told[0].hasPrefix("ibotta: lacks offers: 1 of 1 offer is missing"))
    }
  }
}
