import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("The history of a reward")
struct HistoryRules {
  private static func points(_ store: OffersDatabase, _ name: String) async throws -> [String] {
    try await store.fetchHistory(named: name).points.map {
      "\(Int($0.at.timeIntervalSince1970)) \($0.event.rawValue) \($0.reward?.text ?? "–")"
        + $0.texts.map { " \($0.field): \($0.old ?? "–") → \($0.new ?? "–")" }.joined()
    }
  }

  @Test("an offer that never changed has one point", arguments: StoreKind.allCases)
  func one(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1", reward: Reward.dollars(75))])
    try await store.sync([FeedOffer("1", reward: Reward.dollars(75))], at: 2000)
    try await store.sync(
      [FeedOffer("1", reward: Reward.dollars(75), more: [.url: "https://example.com/2"])], at: 3000)
    #expect(try await Self.points(store, "1") == ["1000 new $75"])
  }

  @Test(
    "what a text or a time was before is told, beside a change of the reward or alone",
    arguments: StoreKind.allCases)
  func texts(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let terms = String(repeating: "Not valid with other offers. ", count: 9)
    for (place, (name, limit, reward, end)) in [
      ("Tea", 2, 75, nil), ("Teas", 2, 75, nil), ("Teas", 3, 80, nil),
      ("Teas", 3, 80, "1800000000"),
    ].enumerated() {
      var more: [OfferField: String] = [.terms: terms + "Limit \(limit) per house. " + terms]
      if let end { more[.expiresAt] = end }
      try await store.sync(
        [FeedOffer("1", name: name, reward: Reward.dollars(Int64(reward)), more: more)],
        at: 1000 * (place + 1))
    }
    #expect(
      try await Self.points(store, "1") == [
        "1000 new $75", "2000 changed $75 name: Tea → Teas",
        "3000 up $80 terms: …other offers. Limit 2 per house. Not… → …other offers. Limit 3 per house. Not…",
        "4000 changed $80 expires_at: – → 2027-01-15T08:00:00Z",
      ])
  }

  @Test(
    "it lists the first reward, each change of it, and when the offer was gone and back",
    arguments: StoreKind.allCases)
  func all(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let other = FeedOffer("2")
    try await store.sync([FeedOffer("1"), other])
    try await store.sync([FeedOffer("1", reward: Reward.dollars(75)), other], at: 2000)
    try await store.sync([other], at: 3000)
    try await store.sync([FeedOffer("1", reward: Reward.dollars(80)), other], at: 4000)
    try await store.sync([FeedOffer("1"), other], at: 5000)
    #expect(
      try await Self.points(store, "1") == [
        "1000 new –", "2000 changed $75", "3000 gone $75", "4000 up $80", "4000 back $80",
        "5000 changed –",
      ])
    let history = try await store.fetchHistory(named: "ibotta:1")
    #expect(history.offer.ref == OfferRef(feed: "ibotta", offerID: "1"))
    #expect(history.points[1].reward == Reward.dollars(75))
  }

  @Test("an unknown offer and an ambiguous id are refused", arguments: StoreKind.allCases)
  func refuses(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1")])
    try await store.sync([FeedOffer("1")], feed: "grocer")
    for (name, code) in [("9", OffersError.Code.notFound), ("1", .ambiguous)] {
      let error = await #expect(throws: OffersError.self) {
        try await store.fetchHistory(named: name)
      }
      #expect(error?.code == code)
    }
  }

  @Test("the pages of a history together equal the whole history", arguments: StoreKind.allCases)
  func history(kind: StoreKind) async throws {
    let store = try await kind.open().store
    for (place, cents) in [75, 75, 80, 85, 85, 90, 60].enumerated() {
      let others = [FeedOffer("2")]
      let offer = FeedOffer(
        "1", name: "Tea \(place % 3)", reward: Reward.dollars(Int64(cents)))
      try await store.sync(
        place == 4 ? others : [offer] + others, at: 1000 * (place + 1))
    }
    let whole = try await store.fetchHistory(named: "1").points
    for (limit, bytes) in [(1, Int.max), (2, .max), (.max, 1), (.max, 12), (.max, .max)] {
      var points: [RewardPoint] = []
      var bounds = HistoryQuery(limit: limit, maximumBytes: bytes)
      repeat {
        let page = try await store.fetchHistory(named: "1", bounds)
        #expect(!page.points.isEmpty && page.points.count <= limit)
        points = page.points + points
        bounds.before = page.before
      } while bounds.before != nil
      #expect(points == whole, "\(limit) \(bytes)")
    }
  }
}
