import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Cancelled calls", .timeLimit(.minutes(1)))
struct CancellationRules {
  /// A call of a store.
  struct Call: Sendable, CustomStringConvertible {
    let description: String
    let run: @Sendable (OffersDatabase) async throws -> Void

    init(_ description: String, _ run: @escaping @Sendable (OffersDatabase) async throws -> Void) {
      self.description = description
      self.run = run
    }
  }

  private static let now = Date.at(2000)
  private static let ref = OfferRef(feed: "ibotta", offerID: "1")

  static let calls = [
    Call("findOffer") { _ = try await $0.findOffer(ref) },
    Call("fetchOffer") { _ = try await $0.fetchOffer(named: "1") },
    Call("fetchOffers") { _ = try await $0.fetchOffers(OfferQuery()) },
    Call("countOffers") { _ = try await $0.countOffers(OfferQuery(sort: .name)) },
    Call("fetchRetailers") { _ = try await $0.fetchRetailers(of: nil) },
    Call("search") { _ = try await $0.search(SearchQuery("milk")) },
    Call("fetchChanges") { _ = try await $0.fetchChanges(ChangeQuery(now: now)) },
    Call("fetchHistory") { _ = try await $0.fetchHistory(named: "1") },
    Call("fetchFeeds") { _ = try await $0.fetchFeeds() },
    Call("fetchUsers") { _ = try await $0.fetchUsers() },
    Call("fetchKnownOffers") { _ = try await $0.fetchKnownOffers(of: "ibotta") },
    Call("setFavorites") { try await $0.setFavorites([ref], to: true) },
    Call("setFavorites(named:)") { try await $0.setFavorites(named: ["1"], to: true) },
    Call("noteSearch") { try await $0.noteSearch(RecentSearch(words: "tea", searchedAt: now)) },
    Call("removeSearch") { try await $0.removeSearch("tea") },
    Call("setMark") { try await $0.setMark(ReaderMark(changeID: 1, readAt: now), of: "me") },
    Call("addUser") { try await $0.addUser(named: "Ana", role: .member) },
    Call("changeUser") { try await $0.changeUser(User.ownerID, name: "Bo", role: nil) },
    Call("subscribe") { _ = try await $0.subscribe(to: "tea", source: "https://t.example/") },
    Call("unsubscribe") { _ = try await $0.unsubscribe(from: "ibotta") },
    Call("record") {
      let run = SyncRun(
        feed: "ibotta", source: "sample", outcome: .unchanged, bytes: 0, startedAt: now,
        durationSeconds: 0)
      try await $0.record(run, remember: nil, fetch: nil)
    },
    Call("fetchImageContents") { _ = try await $0.fetchImageContents(now: now) },
    Call("pages") {
      var pages = $0.pages(of: OfferQuery())
      _ = try await pages.next()
    },
    Call("prune") {
      _ = try await $0.prune(goneBefore: now, now: now, trustsClock: true, isTrial: false)
    },
    Call("clearImages") { try await $0.clearImages() },
    Call("apply") { try await $0.sync([FeedOffer("1", name: "Oats")], at: 3000) },
  ]

  /// Everything that these calls could change.
  private static func contents(_ store: OffersDatabase) async throws -> [AnyHashable] {
    [
      AnyHashable(try await store.fetchOffers(OfferQuery())),
      AnyHashable(try await store.fetchOffers(OfferQuery(goneOnly: true))),
      AnyHashable(try await store.fetchImageContents(now: now).images.map(\.url)),
      AnyHashable(try await store.stars()),
      AnyHashable(try await store.fetchRecentSearches()),
      AnyHashable(try await store.findMark(of: "me")),
      AnyHashable(try await store.fetchUsers()),
      AnyHashable(try await store.fetchFeeds()),
      AnyHashable(try await store.fetchChanges(ChangeQuery(now: now)).changes),
    ]
  }

  @Test(
    "say so and write nothing; the store stays usable",
    arguments: StoreKind.allCases, calls)
  func cancels(kind: StoreKind, call: Call) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1"), FeedOffer("2")])
    try await store.sync([FeedOffer("1")], at: 1500)
    try await store.putImage(ImageHome.image(1))
    let before = try await Self.contents(store)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await call.run(store)
    }
    await #expect(throws: OffersError.cancelled) { try await task.value }
    #expect(try await Self.contents(store) == before)
    try await call.run(store)
  }

  @Test(
    "a cancelled wait for a sync lock ends, and the lock is not taken",
    arguments: StoreKind.allCases)
  func leavesTheSyncLock(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let other = try await opened.openAgain()
    try await opened.store.withSyncLock(on: "tea", waitSeconds: 0) {
      let task = Task { try await other.withSyncLock(on: "tea", waitSeconds: 1000) {} }
      task.cancel()
      await #expect(throws: OffersError.cancelled) { try await task.value }
    }
    try await other.withSyncLock(on: "tea", waitSeconds: 0) {}
  }
}
