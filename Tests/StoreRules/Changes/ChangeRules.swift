import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Changes")
struct ChangeRules {
  private static func name(_ change: OfferChange) -> String {
    change.offer?.ref.description ?? change.feed
  }

  /// `1000 new ibotta:1`, `1000 first ibotta`
  private static func lines(_ changes: [OfferChange]) -> [String] {
    changes.map { "\(Int($0.at.timeIntervalSince1970)) \($0.kind.rawValue) \(name($0))" }
  }

  private static func lines(
    _ store: OffersDatabase, now: Int = 100_000, _ edit: (inout ChangeQuery) -> Void = { _ in }
  ) async throws -> [String] {
    var query = ChangeQuery(now: .at(now))
    edit(&query)
    return lines(try await store.fetchChanges(query).changes)
  }

  @Test(
    "a changed reward is up or down if both are exact and comparable, otherwise changed",
    arguments: StoreKind.allCases,
    [
      (.dollars(75), .dollars(100), OfferChange.Kind.up),
      (.dollars(100), .dollars(75), .down),
      (.dollars(75, upTo: true), .dollars(100, upTo: true), .up),
      (.dollars(75), .dollars(100, upTo: true), .changed),
      (.dollars(75), .dollars(75, "75 cents"), .changed),
      (.dollars(75), Reward(text: "x", value: .amount(minorUnits: 80, currency: "CAD")), .changed),
      (.dollars(75), Reward(text: "2%", value: .percent(hundredths: 200)), .changed),
      (
        Reward(text: "2%", value: .percent(hundredths: 200)),
        Reward(text: "2.25%", value: .percent(hundredths: 225)), .up
      ),
      (.dollars(75), Reward(text: "Free"), .changed),
      (nil, .dollars(75), .changed),
      (.dollars(75), nil, .changed),
      (
        .dollars(9_223_372_036_854_775_806, "a"), .dollars(9_223_372_036_854_775_807, "b"), .up
      ),
    ] as [(Reward?, Reward?, OfferChange.Kind)])
  func kind(kind: StoreKind, example: (old: Reward?, new: Reward?, told: OfferChange.Kind))
    async throws
  {
    let (old, new, told) = example
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1", reward: old)])
    try await store.sync([FeedOffer("1", reward: new)], at: 2000)
    let changes = try await store.fetchChanges(ChangeQuery(now: .at(3000))).changes
    let change = try #require(changes.last)
    #expect(changes.count == 2)
    #expect(change.kind == told)
    #expect(change.oldReward == old)
    #expect(change.newReward == new)
    #expect(change.fields == ["reward"])
    #expect(change.at == .at(2000))
  }

  @Test(
    "a changed text has its field, what it was before, and no reward", arguments: StoreKind.allCases
  )
  func text(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1", name: "Tea", reward: .dollars(75))])
    try await store.sync(
      [FeedOffer("1", name: "Te\"a", description: "x", reward: .dollars(75))], at: 2000)
    let change = try #require(
      try await store.fetchChanges(ChangeQuery(now: .at(3000))).changes.last)
    #expect(change.kind == .changed)
    #expect(change.fields == ["name", "description"])
    #expect(
      change.texts == [
        TextChange(field: "name", old: "Tea", new: "Te\"a"),
        TextChange(field: "description", old: nil, new: "x"),
      ])
    #expect(change.oldReward == nil && change.newReward == nil)
    #expect(change.offer?.name == "Te\"a")
  }

  /// Three offers, the second of which vanishes and is back with another reward; and a second feed.
  private static func told(_ kind: StoreKind) async throws -> OffersDatabase {
    let store = try await kind.open().store
    try await store.sync((1...3).map { FeedOffer("\($0)", reward: .dollars(75)) })
    try await store.sync([FeedOffer("1", reward: .dollars(75)), FeedOffer("3")], at: 2000)
    try await store.sync([FeedOffer("1")], feed: "grocer", at: 2500)
    try await store.sync(
      [
        FeedOffer("1", reward: .dollars(80)), FeedOffer("2", reward: .dollars(50)), FeedOffer("3"),
      ], at: 3000)
    return store
  }

  private static let all = [
    "1000 first ibotta", "2000 changed ibotta:3", "2000 gone ibotta:2", "2500 first grocer",
    "3000 up ibotta:1", "3000 down ibotta:2",
    "3000 back ibotta:2",
  ]

  @Test(
    "all changes are listed oldest first, two for an offer that is back with another reward",
    arguments: StoreKind.allCases)
  func order(kind: StoreKind) async throws {
    let store = try await Self.told(kind)
    #expect(try await Self.lines(store) == Self.all)
  }

  @Test("only changes since a time are listed", arguments: StoreKind.allCases)
  func since(kind: StoreKind) async throws {
    let store = try await Self.told(kind)
    for seconds in [0, 999, 1000, 1001, 2500, 3000, 3001] {
      let lines = try await Self.lines(store) { $0.since = .at(seconds) }
      #expect(lines == Self.all.filter { Int($0.prefix(4)) ?? 0 >= seconds })
    }
  }

  @Test(
    "the changes of overlapping syncs are in the order in which they were recorded",
    arguments: StoreKind.allCases)
  func overlap(kind: StoreKind) async throws {
    let store = try await kind.open().store
    for (feed, seconds) in [("slow", 5000), ("early", 1000), ("late", 6000)] {
      try await store.sync([FeedOffer("1")], feed: feed, at: seconds)
    }
    let mark = try await store.fetchChanges(ChangeQuery(now: .at(1))).lastID
    try await store.sync([FeedOffer("1")], feed: "sudden", at: 900)
    #expect(
      try await Self.lines(store) { $0.since = .at(950) } == [
        "1000 first early", "5000 first slow", "6000 first late",
      ])
    // After a mark, the time does not matter: the run was not recorded when the mark was set.
    #expect(
      try await Self.lines(store) {
        $0.since = .at(6000)
        $0.afterID = mark
      } == ["900 first sudden"])
    // A limit keeps what was recorded last, too.
    #expect(try await Self.lines(store) { $0.limit = 1 } == ["900 first sudden"])
    try await store.setFavorites(named: ["slow:1", "sudden:1"], to: true)
    try await store.sync([], feed: "slow", at: 7000)
    try await store.sync([], feed: "sudden", at: 950)
    #expect(
      try await Self.lines(store) {
        $0.favoritesOnly = true
        $0.limit = 1
      } == ["950 gone sudden:1"])
  }

  @Test("only changes after a change number are listed", arguments: StoreKind.allCases)
  func afterID(kind: StoreKind) async throws {
    let store = try await Self.told(kind)
    let (changes, lastID) = try await store.fetchChanges(ChangeQuery(now: .at(100_000)))
    let ids = changes.compactMap(\.changeID)
    #expect(ids.count == Self.all.count && ids == ids.sorted() && ids.last == lastID)
    for (place, id) in ids.enumerated() {
      let lines = try await Self.lines(store) { $0.afterID = id }
      #expect(lines == Array(Self.all.dropFirst(place + 1)))
    }
    #expect(try await Self.lines(store) { $0.afterID = 0 } == Self.all)
    #expect(try await Self.lines(store) { $0.afterID = lastID + 100 } == [])
  }

  @Test("a limit keeps the newest changes", arguments: StoreKind.allCases)
  func limit(kind: StoreKind) async throws {
    let store = try await Self.told(kind)
    for count in [0, 1, 4, 9, 10] {
      let lines = try await Self.lines(store) { $0.limit = count }
      #expect(lines == Array(Self.all.suffix(count)))
    }
  }

  @Test("changes are filtered by feed and by kinds", arguments: StoreKind.allCases)
  func filters(kind: StoreKind) async throws {
    let store = try await Self.told(kind)
    #expect(try await Self.lines(store) { $0.feed = "grocer" } == ["2500 first grocer"])
    for kind in OfferChange.Kind.allCases {
      #expect(
        try await Self.lines(store) { $0.kinds = [kind] }
          == Self.all.filter { $0.split(separator: " ")[1] == kind.rawValue })
    }
    #expect(
      try await Self.lines(store) {
        $0.kinds = [.down, .changed]
        $0.limit = 1
      } == ["3000 down ibotta:2"])
    #expect(try await Self.lines(store) { $0.kinds = [] } == [])
    let error = await #expect(throws: OffersError.self) {
      try await Self.lines(store) { $0.feed = "nope" }
    }
    #expect(error?.code == .notFound)
  }

  @Test(
    "changes of favorites are those of favorites alone, without first syncs",
    arguments: StoreKind.allCases)
  func favorites(kind: StoreKind) async throws {
    let store = try await Self.told(kind)
    try await store.setFavorites(named: ["ibotta:2", "grocer:1"], to: true)
    let all = [
      "2000 gone ibotta:2", "3000 down ibotta:2", "3000 back ibotta:2",
    ]
    #expect(try await Self.lines(store) { $0.favoritesOnly = true } == all)
    #expect(
      try await Self.lines(store) {
        $0.favoritesOnly = true
        $0.since = .at(2500)
        $0.limit = 2
      } == Array(all.suffix(2)))
    #expect(
      try await Self.lines(store) {
        $0.favoritesOnly = true
        $0.feed = "grocer"
        $0.afterID = 1
      } == [])
  }

  @Test(
    "every query for favorites returns the matching subset of all changes",
    arguments: StoreKind.allCases)
  func agrees(kind: StoreKind) async throws {
    var random = SeededGenerator(seed: 7)
    let store = try await kind.open().store
    var now = 1000
    for feed in ["ibotta", "grocer"] {
      try await store.sync([FeedOffer("31")], feed: feed, at: 900)
    }
    for _ in 0..<40 {
      now += Int.random(in: 1...500, using: &random)
      let feed = ["ibotta", "grocer"].randomElement(using: &random) ?? ""
      let offers = (1...30).filter { _ in Int.random(in: 0..<9, using: &random) > 0 }.map {
        FeedOffer("\($0)", reward: .dollars(Int64.random(in: 1...3, using: &random)))
      }
      try await store.sync(
        offers.prefix(Int.random(in: 10...30, using: &random)).map { $0 },
        feed: feed, at: now)
      let name = "\(feed):\(offers[0].id)"
      if Bool.random(using: &random) {
        try await store.setFavorites(named: [name], to: true)
      }
    }
    let all = try await store.fetchChanges(ChangeQuery(now: .at(now))).changes
    #expect(all.contains { $0.kind == .new && $0.offer?.isFavorite == true })
    var paid: [OfferRef: Reward] = [:]
    for change in all {
      guard let ref = change.offer?.ref else { continue }
      if change.oldReward != nil || change.newReward != nil {
        #expect(paid[ref] ?? change.oldReward == change.oldReward)
        #expect(change.reward == change.newReward)
      } else if change.kind != .new, paid[ref] != nil {
        #expect(change.reward == paid[ref])
      }
      paid[ref] = change.reward
    }
    for offer in all.compactMap(\.offer) { #expect(paid[offer.ref] == offer.reward) }
    for _ in 0..<60 {
      var query = ChangeQuery(now: .at(now))
      query.favoritesOnly = true
      let since = Date.at(Int.random(in: 900...now + 10, using: &random))
      if Bool.random(using: &random) { query.since = since }
      let after = all.randomElement(using: &random)?.changeID ?? 0
      if Bool.random(using: &random) { query.afterID = after }
      if Bool.random(using: &random) { query.feed = "grocer" }
      if Bool.random(using: &random) {
        query.kinds = Set(OfferChange.Kind.allCases.filter { _ in Bool.random(using: &random) })
      }
      let told = try await store.fetchChanges(query).changes
      let expected = all.filter { change in
        change.offer?.isFavorite == true && query.kinds?.contains(change.kind) ?? true
          && (query.feed == nil || query.feed == change.feed)
          && (change.changeID ?? 0 > query.afterID ?? 0)
          && (query.afterID != nil || query.since == nil || change.at >= since)
      }
      #expect(told == expected)
    }
  }
}
