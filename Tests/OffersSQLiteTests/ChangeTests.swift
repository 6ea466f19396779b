import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Reported changes")
struct ChangeTests {
  static func date(_ seconds: Int) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

  static func dollars(_ cents: Int64, _ text: String? = nil, upTo: Bool = false) -> Reward {
    Reward(
      text: text ?? "$\(cents)", value: .amount(minorUnits: cents, currency: "USD"), isUpTo: upTo)
  }

  private static func name(_ change: OfferChange) -> String {
    change.offer?.ref.description ?? change.feed
  }

  /// `1000 new ibotta:1`, `1000 first ibotta`
  private static func lines(_ changes: [OfferChange]) -> [String] {
    changes.map { "\(Int($0.at.timeIntervalSince1970)) \($0.kind.rawValue) \(name($0))" }
  }

  private static func lines(
    _ store: Store, now: Int = 100_000, _ edit: (inout ChangeQuery) -> Void = { _ in }
  ) async throws -> [String] {
    var query = ChangeQuery(now: date(now))
    edit(&query)
    return lines(try await store.database.fetchChanges(query).changes)
  }

  @Test(
    "a changed reward is up or down if both are exact and comparable, otherwise changed",
    arguments: [
      (dollars(75), dollars(100), OfferChange.Kind.up),
      (dollars(100), dollars(75), .down),
      (dollars(75, upTo: true), dollars(100, upTo: true), .up),
      (dollars(75), dollars(100, upTo: true), .changed),
      (dollars(75), dollars(75, "75 cents"), .changed),
      (dollars(75), Reward(text: "x", value: .amount(minorUnits: 80, currency: "CAD")), .changed),
      (dollars(75), Reward(text: "2%", value: .percent(hundredths: 200)), .changed),
      (
        Reward(text: "2%", value: .percent(hundredths: 200)),
        Reward(text: "2.25%", value: .percent(hundredths: 225)), .up
      ),
      (dollars(75), Reward(text: "Free"), .changed),
      (nil, dollars(75), .changed),
      (dollars(75), nil, .changed),
      (
        dollars(9_223_372_036_854_775_806, "a"), dollars(9_223_372_036_854_775_807, "b"), .up
      ),
    ] as [(Reward?, Reward?, OfferChange.Kind)])
  func kind(old: Reward?, new: Reward?, kind: OfferChange.Kind) async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1", reward: old)])
    try await store.sync([FeedOffer("1", reward: new)], at: 2000)
    let changes = try await store.database.fetchChanges(ChangeQuery(now: Self.date(3000))).changes
    let change = try #require(changes.last)
    #expect(changes.count == 2)
    #expect(change.kind == kind)
    #expect(change.oldReward == old)
    #expect(change.newReward == new)
    #expect(change.fields == ["reward"])
    #expect(change.at == Self.date(2000))
    #expect(change.changeID == 2)
  }

  @Test("a changed text names its field and has no reward")
  func text() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1", name: "Tea", reward: Self.dollars(75))])
    try await store.sync(
      [FeedOffer("1", name: "Te\"a", description: "x", reward: Self.dollars(75))], at: 2000)
    let change = try #require(
      try await store.database.fetchChanges(ChangeQuery(now: Self.date(3000))).changes.last)
    #expect(change.kind == .changed)
    #expect(change.fields == ["name", "description"])
    #expect(change.oldReward == nil && change.newReward == nil)
    #expect(change.offer?.name == "Te\"a")
  }

  /// Three offers, the second of which vanishes and is back with another reward; and a second feed.
  private static func told() async throws -> Store {
    let store = try await Store()
    try await store.sync((1...3).map { FeedOffer("\($0)", reward: dollars(75)) })
    try await store.sync([FeedOffer("1", reward: dollars(75)), FeedOffer("3")], at: 2000)
    try await store.sync([FeedOffer("1")], feed: "grocer", at: 2500)
    try await store.sync(
      [
        FeedOffer("1", reward: dollars(80)), FeedOffer("2", reward: dollars(50)), FeedOffer("3"),
      ], at: 3000)
    return store
  }

  private static let all = [
    "1000 first ibotta", "2000 changed ibotta:3", "2000 gone ibotta:2", "2500 first grocer",
    "3000 up ibotta:1", "3000 down ibotta:2",
    "3000 back ibotta:2",
  ]

  @Test("all changes are listed oldest first, two for an offer that is back with another reward")
  func order() async throws {
    let store = try await Self.told()
    #expect(try await Self.lines(store) == Self.all)
    let lastID = try await store.database.fetchChanges(ChangeQuery(now: Self.date(1))).lastID
    #expect(lastID == 9)
  }

  @Test(
    "only changes since a time are listed", arguments: [0, 999, 1000, 1001, 2500, 3000, 3001])
  func since(seconds: Int) async throws {
    let lines = try await Self.lines(try await Self.told()) { $0.since = Self.date(seconds) }
    #expect(lines == Self.all.filter { Int($0.prefix(4)) ?? 0 >= seconds })
  }

  @Test("the changes of overlapping syncs are in the order in which they were recorded")
  func overlap() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")], feed: "slow", at: 5000)
    try await store.sync([FeedOffer("1")], feed: "early", at: 1000)
    try await store.sync([FeedOffer("1")], feed: "late", at: 6000)
    try await store.sync([FeedOffer("1")], feed: "sudden", at: 900)
    #expect(
      try await Self.lines(store) { $0.since = Self.date(950) } == [
        "1000 first early", "5000 first slow", "6000 first late",
      ])
    // After a mark, the time does not matter: the run was not recorded when the mark was set.
    #expect(
      try await Self.lines(store) {
        $0.since = Self.date(6000)
        $0.afterID = 3
      } == ["900 first sudden"])
  }

  @Test("only changes after a change number are listed", arguments: [0, 1, 5, 8, 9, 100])
  func afterID(id: Int) async throws {
    let lines = try await Self.lines(try await Self.told()) { $0.afterID = Int64(id) }
    // The first entry has the numbers 1 to 3, and each other one its own.
    #expect(lines == Array(Self.all.dropFirst(max(0, id - 2))))
  }

  @Test("a limit keeps the newest changes", arguments: [0, 1, 4, 9, 10])
  func limit(count: Int) async throws {
    let lines = try await Self.lines(try await Self.told()) { $0.limit = count }
    #expect(lines == Array(Self.all.suffix(count)))
  }

  @Test("changes are filtered by feed and by kinds")
  func filters() async throws {
    let store = try await Self.told()
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

  @Test("changes of favorites include the sync that first saw them")
  func favorites() async throws {
    let store = try await Self.told()
    _ = try await store.database.setFavorites(named: ["ibotta:2", "grocer:1"], to: true)
    let all = [
      "2000 gone ibotta:2", "3000 down ibotta:2", "3000 back ibotta:2",
    ]
    #expect(try await Self.lines(store) { $0.favoritesOnly = true } == all)
    #expect(
      try await Self.lines(store) {
        $0.favoritesOnly = true
        $0.since = Self.date(2500)
        $0.limit = 2
      } == Array(all.suffix(2)))
    #expect(
      try await Self.lines(store) {
        $0.favoritesOnly = true
        $0.feed = "grocer"
        $0.afterID = 5
      } == [])
  }

  @Test("every query for favorites returns the matching subset of all changes")
  func agrees() async throws {
    var random = SeededGenerator(seed: 7)
    let store = try await Store()
    var now = 1000
    for feed in ["ibotta", "grocer"] {
      try await store.sync([FeedOffer("31")], feed: feed, at: 900)
    }
    for _ in 0..<40 {
      now += Int.random(in: 1...500, using: &random)
      let feed = ["ibotta", "grocer"].randomElement(using: &random) ?? ""
      let offers = (1...30).filter { _ in Int.random(in: 0..<9, using: &random) > 0 }.map {
        FeedOffer("\($0)", reward: Self.dollars(Int64.random(in: 1...3, using: &random)))
      }
      try await store.sync(
        offers.prefix(Int.random(in: 10...30, using: &random)).map { $0 },
        feed: feed, at: now)
      let name = "\(feed):\(offers[0].id)"
      if Bool.random(using: &random) {
        _ = try await store.database.setFavorites(named: [name], to: true)
      }
    }
    let all = try await store.database.fetchChanges(ChangeQuery(now: Self.date(now))).changes
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
      var query = ChangeQuery(now: Self.date(now))
      query.favoritesOnly = true
      let since = Self.date(Int.random(in: 900...now + 10, using: &random))
      if Bool.random(using: &random) { query.since = since }
      let after = Int64.random(in: 0...Int64(all.count) + 1, using: &random)
      if Bool.random(using: &random) { query.afterID = after }
      if Bool.random(using: &random) { query.feed = "grocer" }
      if Bool.random(using: &random) {
        query.kinds = Set(OfferChange.Kind.allCases.filter { _ in Bool.random(using: &random) })
      }
      let told = try await store.database.fetchChanges(query).changes
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
