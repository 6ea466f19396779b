import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("How the offers of feeds are shown")
struct PresentationRules {
  private static let shop = FeedPresentation(
    layout: .posters, noun: OfferNoun("goose", plural: "geese"), valueRole: .price,
    byline: ["Breed \"A\"", "Größe"])

  /// Syncs a feed as the engine does that knows its definition.
  private static func sync(
    _ store: OffersDatabase, _ presentation: FeedPresentation?, feed: String = "shop",
    at seconds: Int = 1000, isSearch: Bool = false, isTrial: Bool = false
  ) async throws {
    let made = try await store.plan([FeedOffer("1")], feed: feed, at: seconds, isSearch: isSearch)
    let plan = SyncPlan(
      run: made.run, newRecords: made.newRecords, knownRecords: made.knownRecords,
      vanishedKeys: made.vanishedKeys, rememberedSource: nil, document: nil, isSearch: isSearch,
      presentation: presentation)
    if isTrial { _ = try await store.preview(plan) } else { _ = try await store.apply(plan) }
  }

  @Test(
    "are kept with the feed by each sync and search, also without a subscription",
    arguments: StoreKind.allCases)
  func isKept(kind: StoreKind) async throws {
    let store = try await kind.open().store
    #expect(try await store.fetchPresentations() == [:])
    try await Self.sync(store, Self.shop, isTrial: true)
    #expect(try await store.fetchPresentations() == [:])
    try await Self.sync(store, Self.shop)
    try await Self.sync(store, nil, feed: "tea")
    try await Self.sync(store, Self.shop, feed: "films", isSearch: true)
    #expect(try await store.fetchPresentations() == ["shop": Self.shop, "films": Self.shop])
    #expect(try await store.fetchFeeds().map(\.presentation) == [Self.shop, nil])
    // A sync by a program that does not say how offers are shown changes nothing.
    try await Self.sync(store, nil, at: 2000)
    #expect(try await store.unsubscribe(from: "shop"))
    #expect(try await store.fetchPresentations()["shop"] == Self.shop)
  }

  @Test(
    "are those of the last sync, also of one that changes no offer", arguments: StoreKind.allCases)
  func follows(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await Self.sync(store, FeedPresentation())
    #expect(try await store.fetchPresentations() == ["shop": FeedPresentation()])
    let run = SyncRun(
      feed: "shop", source: "/shop.json", outcome: .unchanged, bytes: 1, startedAt: .at(2000),
      durationSeconds: 0)
    try await store.record(run, remember: nil, fetch: nil, presentation: Self.shop)
    #expect(try await store.fetchPresentations() == ["shop": Self.shop])
    try await store.record(run, remember: nil, fetch: nil)
    #expect(try await store.fetchPresentations() == ["shop": Self.shop])
  }

  @Test(
    "travel with an export; those of a feed that was read stay", arguments: StoreKind.allCases)
  func travels(kind: StoreKind) async throws {
    let old = try await DatabaseHome(kind)
    try await Self.sync(old.store, Self.shop)
    try await Self.sync(old.store, Self.shop, feed: "films")
    try await Self.sync(old.store, nil, feed: "tea")
    let kept = try await old.store.exported()
    let new = try await DatabaseHome(kind)
    try await new.store.take(kept)
    #expect(try await new.store.fetchPresentations() == ["shop": Self.shop, "films": Self.shop])
    #expect(try await new.store.exported().text() == kept.text())

    let mine = FeedPresentation(noun: OfferNoun("duck"))
    let other = try await DatabaseHome(kind)
    try await Self.sync(other.store, mine, at: 2000)
    try await Self.sync(other.store, mine, feed: "tea", at: 500)
    try await Self.sync(other.store, nil, feed: "films", at: 2000)
    try await other.store.take(kept)
    #expect(
      try await other.store.fetchPresentations()
        == ["shop": mine, "tea": mine])
  }
}
