import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("The state of a feed's syncs")
struct SyncStateRules {
  private static let document = DocumentFingerprint(
    hash: [UInt8](repeating: 1, count: 16), headHash: [UInt8](repeating: 2, count: 16),
    sizeBytes: 123)

  /// A fetch state in which every field has a value.
  private static var fetch: FetchState {
    var fetch = FetchState()
    fetch.etag = "\"a\""
    fetch.lastModified = "Thu, 01 Jan 1970 00:00:01 GMT"
    fetch.validatedMark = "m"
    fetch.validatedRules = .max - 5
    fetch.fullFetchAt = .at(1)
    fetch.nextDueAt = .at(2)
    fetch.waitUntil = .at(3)
    fetch.failureCount = 4
    fetch.failingSince = .at(5)
    fetch.stoppedAt = .at(6)
    fetch.movedFrom = "https://a.example/"
    fetch.movedTo = "https://b.example/"
    fetch.movedCount = 7
    fetch.held = HeldBack(missingCount: 8, waitingCount: 9, since: .at(10), until: .at(11))
    return fetch
  }

  private static func run(
    _ outcome: SyncOutcome, at seconds: Int, source: String = "https://t.example/"
  ) -> SyncRun {
    SyncRun(
      feed: "tea", source: source, outcome: outcome, bytes: 0, startedAt: .at(seconds),
      durationSeconds: 0,
      error: outcome == .failed ? OffersError(.sourceFailed, "No answer.") : nil)
  }

  @Test(
    "a host's wait is found until its end, is not shortened, and can be forgotten",
    arguments: StoreKind.allCases)
  func keepsHostWaits(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let (mark, other) = (String(repeating: "a", count: 32), String(repeating: "b", count: 32))
    func wait(_ now: Int, _ mark: String) async throws -> Date? {
      try await store.findHostWait(mark, now: .at(now))
    }
    try await store.putHostWait(mark, until: .at(2000), now: .at(1000))
    try await store.putHostWait(mark, until: .at(1500), now: .at(1000))
    #expect(try await wait(1999, mark) == .at(2000))
    #expect(try await wait(2000, mark) == nil)
    #expect(try await wait(1000, other) == nil)
    // A wait that a clock has stored that was ahead does not count, and is replaced.
    try await store.putHostWait(other, until: .at(9_000_000), now: .at(8_999_000))
    #expect(try await wait(1000, other) == nil)
    try await store.putHostWait(other, until: .at(1200), now: .at(1000))
    #expect(try await wait(1000, other) == .at(1200))
    try await store.putHostWait(other, until: nil, now: .at(1000))
    #expect(try await wait(1000, other) == nil)
  }

  @Test(
    "a sync stores the document, the fetch state and the named source with its offers",
    arguments: StoreKind.allCases)
  func stores(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let source = ChosenSource("https://t.example/", origin: .remote)
    let plan = try await store.plan([FeedOffer("1")], feed: "tea")
    _ = try await store.apply(
      SyncPlan(
        run: plan.run, newRecords: plan.newRecords, knownRecords: plan.knownRecords,
        vanishedKeys: [], rememberedSource: source, document: Self.document, fetch: Self.fetch))
    let state = SyncState(
      source: source, document: Self.document, currentCount: 1, lastGoodSource: plan.run.source,
      lastRunAt: .at(1000), fetch: Self.fetch)
    #expect(try await store.findSyncState(of: "tea") == state)
    #expect(try await store.fetchFeeds().map(\.source) == [source.text])
    // A plan without them keeps the source and the fetch state; no document equals the offers now.
    try await store.sync([FeedOffer("2")], feed: "tea", at: 2000)
    let second = SyncState(
      source: source, document: nil, currentCount: 1, lastGoodSource: plan.run.source,
      lastRunAt: .at(2000), fetch: Self.fetch)
    #expect(try await store.findSyncState(of: "tea") == second)
  }

  @Test(
    "missing offers are stored with a sync, replace those of before, and end with the offers",
    arguments: StoreKind.allCases)
  func remembersMissing(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync(["1", "2", "3"].map { FeedOffer($0) }, feed: "tea")
    try await store.sync([FeedOffer("1")], feed: "jam")
    #expect(try await store.fetchMissingOffers(of: "tea") == [])
    #expect(try await store.fetchMissingOffers(of: "none") == [])
    let plan = try await store.plan([FeedOffer("1")], feed: "tea", at: 2000)
    let (two, three) = (plan.vanishedKeys[0], plan.vanishedKeys[1])
    func apply(
      _ missing: [MissingOffer]?, vanished: [Int64] = [], at seconds: Int
    ) async throws -> [MissingOffer] {
      _ = try await store.apply(
        SyncPlan(
          run: Self.run(.updated, at: seconds), newRecords: FeedRecords(),
          knownRecords: FeedRecords(), vanishedKeys: vanished, missing: missing,
          rememberedSource: nil, document: Self.document, keepsFacts: true))
      return try await store.fetchMissingOffers(of: "tea")
    }
    let first = [MissingOffer(key: two, since: .at(2000)), MissingOffer(key: three, since: nil)]
    #expect(try await apply(first, at: 2000) == first)
    #expect(try await apply(nil, at: 3000) == first)
    #expect(try await store.fetchFeeds().first { $0.name == "tea" }?.keptCount == 1)
    #expect(try await store.findSyncState(of: "tea")?.currentCount == 3)
    let second = [MissingOffer(key: three, since: .at(3000))]
    #expect(try await apply(second, vanished: [two], at: 4000) == second)
    #expect(try await store.fetchFeeds().first { $0.name == "tea" }?.keptCount == 0)
    #expect(try await store.findSyncState(of: "tea")?.currentCount == 2)
    #expect(try await apply([MissingOffer(key: two, since: .at(1))] + second, at: 5000) == second)
    _ = try await store.unsubscribe(from: "tea")
    #expect(try await store.fetchMissingOffers(of: "tea") == [])
  }

  @Test(
    "an older offer is a missing one that is current, in the order of its syncs, and ends after its time",
    arguments: StoreKind.allCases)
  func knowsOlder(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync(["2", "1"].map { FeedOffer($0) }, feed: "tea")
    try await store.sync(["4", "3", "2", "1"].map { FeedOffer($0) }, feed: "tea")
    let known = try await store.plan([], feed: "tea").vanishedKeys
    #expect(try await store.findOffers(olderThan: known[0], among: known) == [known[1]])
    #expect(
      try await store.findOffers(olderThan: known[2], among: known) == [
        known[0], known[1], known[3],
      ])
    let older = known[..<2].map { MissingOffer(key: $0, since: .at(2000), isOlder: true) }
    _ = try await store.apply(
      SyncPlan(
        run: Self.run(.updated, at: 2000), newRecords: FeedRecords(), knownRecords: FeedRecords(),
        vanishedKeys: [], missing: older, rememberedSource: nil, document: nil, keepsFacts: true))
    #expect(try await store.fetchMissingOffers(of: "tea") == older)
    _ = try await store.setFavorites(named: ["1"], to: true)
    let states = try await store.fetchOffers(OfferQuery()).map {
      "\($0.ref.offerID) \($0.offer.state)"
    }
    #expect(states.sorted() == ["1 older", "2 older", "3 current", "4 current"])
    for (seconds, count) in [(1999, 0), (2000, 1)] {
      for isTrial in [true, false] {
        let counts = try await store.prune(
          goneBefore: .at(seconds), now: .at(5000), trustsClock: true, isTrial: isTrial)
        #expect(counts.offers == count)
      }
    }
    #expect(try await store.findSyncState(of: "tea")?.currentCount == 3)
    #expect(try await store.fetchOffer(named: "1").isOlder)
  }

  @Test(
    "the look of a feed has its title and the links of its current offers",
    arguments: StoreKind.allCases)
  func tellsTheLook(kind: StoreKind) async throws {
    let store = try await kind.open().store
    #expect(try await store.fetchLook(of: "tea") == FeedTraits())
    var offer = FeedOffer("1")
    offer.more[.url] = "https://shop.example/1"
    let plan = try await store.plan([offer, FeedOffer("2")], feed: "tea")
    _ = try await store.apply(
      SyncPlan(
        run: plan.run, newRecords: plan.newRecords, knownRecords: plan.knownRecords,
        vanishedKeys: [], rememberedSource: nil, document: nil, title: "Teas"))
    let look = try await store.fetchLook(of: "tea")
    #expect(look.title == "Teas" && look.offerCount == 2)
    var other = FeedTraits()
    other.addOffer(
      url: "https://www.shop.example/x", hasDescription: true, hasTerms: true, hasReward: true,
      hasImage: true)
    #expect(other.isLike(look))
    try await store.sync([FeedOffer("2")], feed: "tea", at: 2000)
    #expect(try await !other.isLike(store.fetchLook(of: "tea")))
  }

  @Test(
    "a recorded run changes no offer, and keeps what it does not name",
    arguments: StoreKind.allCases)
  func records(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1")], feed: "tea")
    let offers = try await store.fetchOffers(OfferQuery())
    for origin in [SourceOrigin.remote, .machine, .imported] {
      let source = ChosenSource("https://t.example/\(origin)", origin: origin)
      try await store.record(
        Self.run(.unchanged, at: 2000, source: source.text), remember: source, fetch: Self.fetch)
      let state = try await store.findSyncState(of: "tea")
      #expect(state?.source == source && state?.fetch == Self.fetch)
      #expect(state?.lastGoodSource == source.text && state?.currentCount == 1)
    }
    try await store.record(Self.run(.failed, at: 3000, source: "x"), remember: nil, fetch: nil)
    let state = try await store.findSyncState(of: "tea")
    #expect(state?.source?.origin == .imported && state?.fetch == Self.fetch)
    #expect(state?.lastGoodSource == "https://t.example/imported")
    #expect(state?.lastRunAt == .at(3000))
    #expect(try await store.fetchOffers(OfferQuery()) == offers)
  }

  @Test(
    "a failed trial of another source, which raises no failure count, is not the last run",
    arguments: StoreKind.allCases)
  func trials(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1")], feed: "tea")
    try await store.record(Self.run(.failed, at: 2000), remember: nil, fetch: FetchState())
    #expect(try await store.findSyncState(of: "tea")?.lastRunAt == .at(1000))
  }

  @Test(
    "a feed whose syncs have all failed keeps its source and fetch state, and is not subscribed",
    arguments: StoreKind.allCases)
  func failing(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.record(Self.run(.failed, at: 1000), remember: nil, fetch: Self.fetch)
    let state = SyncState(
      source: nil, document: nil, currentCount: 0, lastGoodSource: nil, lastRunAt: .at(1000),
      fetch: Self.fetch)
    #expect(try await store.findSyncState(of: "tea") == state)
    #expect(try await store.fetchSubscribedFeeds() == [])
    #expect(try await store.fetchKnownOffers(of: "tea").count == 0)
  }

  @Test(
    "subscribing to the proposed feed from a page does not make its source trusted",
    arguments: StoreKind.allCases)
  func subscribes(kind: StoreKind) async throws {
    let store = try await kind.open().store
    _ = try await store.subscribe(to: "ibotta", source: "http://10.0.0.1/")
    #expect(
      try await store.findSyncState(of: "ibotta")?.source
        == ChosenSource("http://10.0.0.1/", origin: .remote))
  }

  @Test(
    "a sync lock excludes other syncs of the feed, also of other connections",
    arguments: StoreKind.allCases)
  func locks(kind: StoreKind) async throws {
    let opened = try await kind.open()
    let (store, other) = (opened.store, try await opened.openAgain())
    try await store.withSyncLock(on: "tea", waitSeconds: 0) {
      for waiting in [store, other] {
        let error = await refusal {
          try await waiting.withSyncLock(on: "tea", waitSeconds: 0) {
            _ = Issue.record("The lock was taken twice.")
          }
        }
        #expect(error?.code == .locked)
      }
      let result = try await other.withSyncLock(on: "jam", waitSeconds: 0) { 7 }
      #expect(result == 7)
    }
    // It is released at the end, also by an error.
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await other.withSyncLock(on: "tea", waitSeconds: 0) { throw Failure() }
    }
    #expect(try await store.withSyncLock(on: "tea", waitSeconds: 0) { true })
  }

  @Test(
    "what vanished 30 days ago is cleared away, except for favorites of any user",
    arguments: StoreKind.allCases)
  func clears(kind: StoreKind) async throws {
    let day = 86_400
    let home = try await Household(kind)
    try await home.anas.setFavorites(named: ["2"], to: true)
    let all = ["1", "2", "3"]
    // The runs of the days 29 and 30 confirm the clock.
    for (days, ids) in [
      (1, ["1", "4", "5"]), (2, ["4", "5"]), (29, ["4", "5"]), (30, ["4", "5"]), (31, ["4", "5"]),
    ] {
      try await home.owners.sync(
        ids.map { FeedOffer($0, name: "Tea \($0)") }, at: days * day)
      try await home.owners.clearAway(at: .at(days * day + 10))
      let gone = try await home.owners.ids(OfferQuery(goneOnly: true))
      #expect(
        gone.sorted() == [1: ["2", "3"], 2: all, 29: all, 30: all][days] ?? [
          "1", "2",
        ])
    }
    #expect(try await home.anas.stars() == ["ibotta:2"])
    #expect(await refusal { _ = try await home.owners.fetchOffer(named: "3") }?.code == .notFound)
    // A cleared offer that comes again is a new one.
    try await home.owners.sync(["3", "4", "5"].map { FeedOffer($0) }, at: 32 * day)
    #expect(try await home.owners.fetchOffer(named: "3").firstSeenAt == .at(32 * day))
  }
}
