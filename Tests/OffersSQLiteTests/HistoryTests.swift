import Foundation
import GRDB
import OffersCore
import Testing

@testable import OffersSQLite

@Suite("The history of a reward")
struct HistoryTests {
  private static func points(_ store: Store, _ name: String) async throws -> [String] {
    try await store.database.fetchHistory(named: name).points.map {
      "\(Int($0.at.timeIntervalSince1970)) \($0.event.rawValue) \($0.reward?.text ?? "–")"
    }
  }

  @Test("an offer that never changed has one point")
  func one() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1", reward: ChangeTests.dollars(75))])
    try await store.sync([FeedOffer("1", name: "Tea", reward: ChangeTests.dollars(75))], at: 2000)
    #expect(try await Self.points(store, "1") == ["1000 new $75"])
  }

  @Test("it lists the first reward, each change of it, and when the offer was gone and back")
  func all() async throws {
    let store = try await Store()
    let other = FeedOffer("2")
    try await store.sync([FeedOffer("1"), other])
    try await store.sync([FeedOffer("1", reward: ChangeTests.dollars(75)), other], at: 2000)
    try await store.sync([other], at: 3000)
    try await store.sync([FeedOffer("1", reward: ChangeTests.dollars(80)), other], at: 4000)
    try await store.sync([FeedOffer("1"), other], at: 5000)
    #expect(
      try await Self.points(store, "1") == [
        "1000 new –", "2000 changed $75", "3000 gone $75", "4000 up $80", "4000 back $80",
        "5000 changed –",
      ])
    let history = try await store.database.fetchHistory(named: "ibotta:1")
    #expect(history.offer.ref == OfferRef(feed: "ibotta", offerID: "1"))
    #expect(history.points[1].reward == ChangeTests.dollars(75))
  }

  @Test("a change of large texts is read without these texts")
  func largeTexts() async throws {
    let store = try await Store()
    func offer(_ sign: String, _ cents: Int64) -> FeedOffer {
      let text = String(repeating: sign, count: 100_000)
      return FeedOffer(
        "1", description: text, reward: ChangeTests.dollars(cents), more: [.terms: text])
    }
    try await store.sync([offer("a", 75)])
    try await store.sync([offer("\"", 80)], at: 2000)
    var query = ChangeQuery(now: ChangeTests.date(3000))
    query.kinds = [.up]
    let changes = try await store.database.fetchChanges(query).changes
    #expect(changes.map(\.fields) == [["description", "terms", "reward"]])
    #expect(changes.map(\.oldReward) == [ChangeTests.dollars(75)])
    #expect(try await Self.points(store, "1") == ["1000 new $75", "2000 up $80"])
    let bytes = try await store.database.read {
      try String.fetchOne(
        $0, sql: "SELECT \(ChangedFields.column) FROM change WHERE kind = 'changed'")
    }
    #expect(bytes?.utf8.count ?? 0 < 1000)
  }

  @Test("an unknown offer and an ambiguous id are refused")
  func refuses() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    try await store.sync([FeedOffer("1")], feed: "grocer")
    for (name, code) in [("9", OffersError.Code.notFound), ("1", .ambiguous)] {
      let error = await #expect(throws: OffersError.self) {
        try await store.database.fetchHistory(named: name)
      }
      #expect(error?.code == code)
    }
  }
}
