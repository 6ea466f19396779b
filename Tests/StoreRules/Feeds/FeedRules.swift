import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("Feeds and subscriptions")
struct FeedRules {
  /// A time after the present one: a sync that began before a feed was unsubscribed does not subscribe
  /// to it again.
  private static let later = Int(Date().timeIntervalSince1970) + 1000

  private static func run(
    _ feed: String, _ outcome: SyncOutcome, at seconds: Int, source: String = "/x.json"
  ) -> SyncRun {
    SyncRun(
      feed: feed, source: source, outcome: outcome, bytes: 7, startedAt: .at(seconds),
      durationSeconds: 0.5,
      error: outcome == .failed
        ? OffersError(.sourceFailed, "No answer.", hint: "Wait.") : nil)
  }

  @Test("a new store has no feeds and no offers", arguments: StoreKind.allCases)
  func isEmpty(kind: StoreKind) async throws {
    let store = try await kind.open().store
    #expect(try await store.fetchFeeds() == [])
    #expect(try await store.fetchFormerFeeds() == [])
    #expect(try await store.fetchSubscribedFeeds() == [])
    #expect(try await store.findSyncState(of: "grocer") == nil)
    #expect(try await store.findSource(of: "grocer") == nil)
    #expect(try await store.ids() == [])
    #expect(try await store.countOffers(OfferQuery()) == 0)
  }

  @Test("a sync subscribes to its feed and counts its offers", arguments: StoreKind.allCases)
  func counts(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync((1...5).map { FeedOffer("\($0)") }, feed: "tea")
    try await store.setFavorites(named: ["1", "2", "3"], to: true)
    try await store.sync([FeedOffer("1"), FeedOffer("6")], feed: "tea", at: 2000)
    try await store.sync([], feed: "jam", at: 3000)
    let feeds = try await store.fetchFeeds()
    #expect(feeds.map(\.name) == ["jam", "tea"])
    let tea = try #require(feeds.last)
    #expect(tea.currentCount == 2 && tea.goneCount == 4 && tea.favoriteCount == 3)
    #expect(tea.source == "/feeds/tea.json" && tea.title == nil)
    #expect(tea.lastRun?.outcome == .updated && tea.lastRun?.startedAt == .at(2000))
    #expect(tea.lastRun?.counts.new == 1 && tea.lastRun?.counts.gone == 4)
    #expect(tea.lastSuccessAt == .at(2000) && tea.fetch == FetchState())
    #expect(feeds.first?.currentCount == 0)
    #expect(try await store.fetchSubscribedFeeds() == ["jam", "tea"])
  }

  @Test("subscribing and unsubscribing twice changes it once", arguments: StoreKind.allCases)
  func isIdempotent(kind: StoreKind) async throws {
    let store = try await kind.open().store
    #expect(try await store.unsubscribe(from: "tea") == false)
    for round in 1...2 {
      #expect(try await store.subscribe(to: "tea", source: "https://t.example/\(round)"))
      #expect(try await store.subscribe(to: "tea", source: "https://other.example/") == false)
      #expect(try await store.fetchFeeds().map(\.name) == ["tea"])
      // The source is that of the first subscription.
      #expect(try await store.fetchFeeds().map(\.source) == ["https://t.example/1"])
      #expect(try await store.unsubscribe(from: "tea"))
      #expect(try await store.unsubscribe(from: "tea") == false)
      #expect(try await store.fetchFeeds() == [])
      #expect(try await store.fetchFormerFeeds().map(\.name) == ["tea"])
      #expect(try await store.findSource(of: "tea") == "https://t.example/1")
    }
  }

  @Test(
    "an unsubscribed feed keeps its offers, favorites and changes, and a sync subscribes again",
    arguments: StoreKind.allCases)
  func unsubscribes(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1"), FeedOffer("2")], feed: "tea")
    try await store.setFavorites(named: ["1"], to: true)
    var fetch = FetchState()
    fetch.failureCount = 2
    fetch.failingSince = .at(1500)
    try await store.record(Self.run("tea", .failed, at: 1500), remember: nil, fetch: fetch)
    #expect(try await store.fetchFeeds().first?.fetch == fetch)
    #expect(try await store.unsubscribe(from: "tea"))
    #expect(try await store.ids(OfferQuery(feed: "tea")) == ["1", "2"])
    #expect(try await store.stars() == ["tea:1"])
    #expect(try await store.fetchChanges(ChangeQuery(feed: "tea", now: .at(1))).changes.count == 1)
    // A sync that began before does not undo it.
    try await store.sync([FeedOffer("1"), FeedOffer("3")], feed: "tea", at: 2000)
    #expect(try await store.fetchFeeds() == [])
    #expect(try await store.ids(OfferQuery(feed: "tea")) == ["1", "3"])
    try await store.sync([FeedOffer("1")], feed: "tea", at: Self.later)
    #expect(try await store.fetchFeeds().map(\.name) == ["tea"])
    #expect(try await store.fetchFeeds().first?.fetch == FetchState())
    #expect(try await store.stars() == ["tea:1"])
  }

  @Test(
    "a failed run is recorded for a subscribed feed, and does not subscribe to another",
    arguments: StoreKind.allCases)
  func recordsFailures(kind: StoreKind) async throws {
    let store = try await kind.open().store
    _ = try await store.subscribe(to: "tea", source: "https://t.example/")
    for feed in ["tea", "jam"] {
      try await store.record(Self.run(feed, .failed, at: 5), remember: nil, fetch: nil)
    }
    let feeds = try await store.fetchFeeds()
    #expect(feeds.map(\.name) == ["tea"])
    #expect(feeds.first?.lastRun?.error == OffersError(.sourceFailed, "No answer.", hint: "Wait."))
    #expect(feeds.first?.lastRun?.startedAt == .at(5))
    #expect(feeds.first?.lastSuccessAt == nil)
    #expect(feeds.first?.source == "https://t.example/")
    #expect(try await store.fetchFormerFeeds().map(\.name) == ["jam"])
    // The feed that never worked is unknown to readers.
    #expect(await refusal { _ = try await store.ids(OfferQuery(feed: "jam")) }?.code == .notFound)
    try await store.record(Self.run("tea", .unchanged, at: 9), remember: nil, fetch: nil)
    #expect(try await store.fetchFeeds().first?.lastSuccessAt == .at(9))
    try await store.record(Self.run("tea", .failed, at: 12), remember: nil, fetch: nil)
    #expect(try await store.fetchFeeds().first?.lastSuccessAt == .at(9))
    #expect(try await store.fetchFeeds().first?.lastRun?.startedAt == .at(12))
  }

  @Test(
    "the title and the shared attributes are those of the last sync; an offer's own attribute wins",
    arguments: StoreKind.allCases)
  func details(kind: StoreKind) async throws {
    let store = try await kind.open().store
    func sync(_ title: String?, _ shared: [OfferAttribute], at seconds: Int) async throws {
      let plan = try await store.plan(
        [
          FeedOffer("1", more: [.attributes: #"[["Phone","1"]]"#]), FeedOffer("2"),
        ], feed: "tea", at: seconds)
      _ = try await store.apply(
        SyncPlan(
          run: plan.run, newRecords: plan.newRecords, knownRecords: plan.knownRecords,
          vanishedKeys: plan.vanishedKeys, rememberedSource: nil, document: nil, title: title,
          shared: shared))
    }
    let shared = ["Phone", "Town"].map { OfferAttribute(label: $0, value: "s") }
    try await sync("Teas", shared, at: 1000)
    #expect(try await store.fetchFeeds().first?.title == "Teas")
    let offers = try await store.fetchOffers(OfferQuery())
    #expect(
      offers[0].attributes == [OfferAttribute(label: "Phone", value: "1"), shared[1]])
    #expect(offers[1].attributes == shared)
    try await sync(nil, [], at: 2000)
    #expect(try await store.fetchFeeds().map(\.title) == [nil])
    #expect(try await store.fetchOffer(named: "2").attributes == [])
    #expect(try await store.fetchChanges(ChangeQuery(now: .at(1))).changes.count == 1)
  }
}
