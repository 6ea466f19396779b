import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Agreement of shared stores with one in memory")
struct AgreementRules {
  /// A change without its number, which each store chooses by itself.
  private struct Told: Hashable {
    let kind: OfferChange.Kind
    let at: Date
    let feed: String
    let offer: UserOffer?
    let rewards: [Reward?]
    let fields: [String]
    let offerCount: Int?
    let returned: OfferRef?

    init(_ change: OfferChange) {
      kind = change.kind
      at = change.at
      feed = change.feed
      offer = change.offer
      rewards = [change.oldReward, change.newReward, change.reward]
      fields = change.fields
      offerCount = change.offerCount
      returned = change.returned
    }
  }

  private static func offerQuery(
    at time: Date, _ random: inout SeededGenerator
  ) -> OfferQuery {
    func maybe() -> Bool { Int.random(in: 0..<4, using: &random) == 0 }
    var query = OfferQuery(now: time)
    query.sort = OfferQuery.Sort.allCases.randomElement(using: &random) ?? .feed
    query.isReversed = maybe()
    if maybe() { query.feed = RandomStep.feeds.randomElement(using: &random) }
    query.favoritesOnly = maybe()
    query.goneOnly = maybe()
    query.includesExpired = maybe()
    if maybe() { query.retailer = "mart 1" }
    if maybe() { query.newSince = time - 5000 }
    if maybe() { query.expiring = time - 50...time + 90_000 }
    if maybe() { query.rewardMinimum = .anyAmount(minorUnits: 50, others: [:]) }
    if maybe() { query.pricedFeeds = ["tea"] }
    if maybe() { query.limit = 5 }
    if maybe() { query.offset = 2 }
    return query
  }

  private static func changeQuery(
    at time: Date, _ random: inout SeededGenerator
  ) -> ChangeQuery {
    func maybe() -> Bool { Int.random(in: 0..<3, using: &random) == 0 }
    var query = ChangeQuery(now: time)
    query.favoritesOnly = maybe()
    if maybe() { query.since = time - 6000 }
    if maybe() { query.feed = RandomStep.feeds.randomElement(using: &random) }
    if maybe() { query.limit = Int.random(in: 0...9, using: &random) }
    if maybe() {
      query.kinds = Set(OfferChange.Kind.allCases.filter { _ in Bool.random(using: &random) })
    }
    return query
  }

  /// All that a user sees of a store, and the answers to some random queries, by what was asked.
  private static func answers(
    of store: OffersDatabase, at time: Date, seed: UInt64
  ) async throws -> [(String, AnyHashable)] {
    var random = SeededGenerator(seed: seed)
    var answers: [(String, AnyHashable)] = []
    func ask(_ question: String, _ read: () async throws -> some Hashable & Sendable) async throws {
      do {
        answers.append((question, AnyHashable(try await read())))
      } catch let error as OffersError {
        answers.append((question, AnyHashable(error.code)))
      }
    }
    try await ask("feeds") { try await store.fetchFeeds().map(Self.withoutDurations) }
    try await ask("former feeds") { try await store.fetchFormerFeeds() }
    try await ask("recent searches") { try await store.fetchRecentSearches() }
    try await ask("mark") { try await store.findMark(of: "mail") }
    try await ask("stars") { try await store.stars() }
    let household = HouseholdQuery(limit: 5, offset: Int.random(in: 0...3, using: &random))
    try await ask("\(household)") {
      try await store.fetchHousehold(household, maximumBytes: 200)
    }
    try await ask("count of the household") { try await store.countHousehold() }
    for feed in RandomStep.feeds {
      try await ask("state of \(feed)") { try await store.findSyncState(of: feed) }
      try await ask("known offers of \(feed)") {
        let known = try await store.fetchKnownOffers(of: feed)
        return [known.count, known.currentCount]
      }
    }
    for _ in 0..<4 {
      let query = offerQuery(at: time, &random)
      try await ask("\(query)") { try await store.fetchOffers(query) }
      try await ask("count of \(query)") { try await store.countOffers(query) }
      try await ask("page of \(query)") {
        try await store.fetchOfferPage(query, maximumBytes: 200)
      }
    }
    for _ in 0..<3 {
      let query = changeQuery(at: time, &random)
      try await ask("\(query)") { try await store.fetchChanges(query).changes.map(Told.init) }
      try await ask("pages of \(query)") {
        try await pages(of: query, in: store).map(Told.init)
      }
    }
    let name = "\(RandomStep.feeds[0]):\(Int.random(in: 1...20, using: &random))"
    try await ask("history of \(name)") { try await store.fetchHistory(named: name).points }
    for words in ["tea", "cafe", "green jam"] {
      var query = SearchQuery(words, now: time, limit: 100)
      query.favoritesOnly = Bool.random(using: &random)
      query.includesExpired = Bool.random(using: &random)
      try await ask("\(query)") {
        Set(try await store.search(query).hits.map(\.offer))
      }
    }
    return answers
  }

  /// The parts around the first difference of two values, as text.
  private static func difference(_ left: AnyHashable, _ right: AnyHashable) -> String {
    let (left, right) = ("\(left)", "\(right)")
    let start = max(0, left.commonPrefix(with: right).count - 200)
    return [left, right].map { "… \($0.dropFirst(start).prefix(600))" }.joined(separator: "\n")
  }

  private static func withoutDurations(_ feed: Feed) -> Feed {
    let run = feed.lastRun.map { run in
      SyncRun(
        feed: run.feed, source: run.source, outcome: run.outcome, counts: run.counts,
        bytes: run.bytes, startedAt: run.startedAt, durationSeconds: 0, error: run.error,
        mendedCount: run.mendedCount)
    }
    return Feed(
      name: feed.name, title: feed.title, source: feed.source, currentCount: feed.currentCount,
      goneCount: feed.goneCount, favoriteCount: feed.favoriteCount, lastRun: run,
      lastSuccessAt: feed.lastSuccessAt, fetch: feed.fetch, chosenSource: feed.chosenSource)
  }

  /// The changes of a query, read page by page.
  private static func pages(
    of query: ChangeQuery, in store: OffersDatabase
  ) async throws -> [OfferChange] {
    var query = query
    query.limit = 7
    var read: [OfferChange] = []
    while true {
      let page = try await store.fetchChangePage(query)
      read += page.changes
      if !page.hasMore || read.count > 5000 { return read }
      query.afterID = page.lastID
      query.afterExpiring = page.lastExpiring
    }
  }

  /// Takes some seconds: after each fourth of sixty steps, all that two users see is compared.
  @Test(
    "after random steps of two users and syncs, every read answers as that of a store in memory",
    arguments: StoreKind.shared, 1...(TestSize.isLong ? 12 : 1) as ClosedRange<UInt64>)
  func agrees(kind: StoreKind, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let opened = try await kind.open()
    let stores = [opened.store, try await opened.openAgain()]
    let simple = try await StoreKind.memory.open().store
    var ana = try await stores[0].addUser(named: "Ana", role: .member)
    #expect(try await simple.addUser(named: "Ana", role: .member).id == ana.id)
    var clock = 1_000_000
    for number in 1...60 {
      let step = RandomStep.random(clock: &clock, using: &random)
      let store = stores[Int.random(in: 0...1, using: &random)]
      let result = try await step.run(on: store, ana: ana)
      let expected = try await step.run(on: simple, ana: ana)
      try #require(result == expected, "step \(number)")
      guard number.isMultiple(of: 4) else { continue }
      let reader = stores[Int.random(in: 0...1, using: &random)]
      let seed = UInt64.random(in: .min ... .max, using: &random)
      for user in [try #require(try await simple.fetchUsers().first), ana] {
        let answers = try await Self.answers(
          of: reader.bound(to: user), at: .at(clock), seed: seed)
        let expected = try await Self.answers(
          of: simple.bound(to: user), at: .at(clock), seed: seed)
        for (answer, other) in zip(answers, expected) {
          let isSame = answer.1 == other.1
          try #require(
            isSame,
            """
            step \(number), \(user.name): \(answer.0)
            \(Self.difference(answer.1, other.1))
            """)
        }
      }
      if try await simple.findUser(named: "Ana") == nil {
        ana = try await store.addUser(named: "Ana", role: .viewer)
        #expect(try await simple.addUser(named: "Ana", role: .viewer).id == ana.id)
      }
    }
  }
}
