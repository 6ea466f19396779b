import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite
@testable import OffersStore

@Suite("Changes in the database")
struct ChangeTests {
  static func date(_ seconds: Int) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

  static func dollars(_ cents: Int64, _ text: String? = nil, upTo: Bool = false) -> Reward {
    Reward(
      text: text ?? "$\(cents)", value: .amount(minorUnits: cents, currency: "USD"), isUpTo: upTo)
  }

  @Test("a change of large texts is read without these texts")
  func largeTexts() async throws {
    let store = try await Store()
    func offer(_ sign: String, _ cents: Int64) -> FeedOffer {
      let text = String(repeating: sign, count: 100_000)
      return FeedOffer(
        "1", description: text, reward: Self.dollars(cents), more: [.terms: text])
    }
    try await store.sync([offer("a", 75)])
    try await store.sync([offer("\"", 80)], at: 2000)
    var query = ChangeQuery(now: Self.date(3000))
    query.kinds = [.up]
    let changes = try await store.database.fetchChanges(query).changes
    #expect(changes.map(\.fields) == [["description", "terms", "reward"]])
    #expect(changes.map(\.oldReward) == [Self.dollars(75)])
    let points = try await store.database.fetchHistory(named: "1").points
    #expect(points.map(\.reward?.text) == ["$75", "$80"])
    let bytes = try await store.database.read {
      try String.fetchOne(
        $0, sql: "SELECT \(ChangedFields.columnWithTexts(.sqlite)) FROM change WHERE kind = 'up'")
    }
    #expect(bytes?.utf8.count ?? 1000 < 1000)
  }
}

@Suite("The commits of a file", .timeLimit(.minutes(1)))
struct CommitTests {
  @Test("a commit of this program ends the wait for the next version, which no poll has to find")
  func ownCommit() async throws {
    let store = try await Store()
    let database = store.database
    let bell = try #require(database.sqlite.writer?.bell)
    var versions = bell.commits(pollInterval: .seconds(3600)) {
      try await database.fetchDataVersion()
    }.makeAsyncIterator()
    let first = try #require(await versions.next())
    let count = bell.count
    async let waited: Void = bell.wait(after: count, atMost: .seconds(3600))
    try await database.sync([FeedOffer("1")])
    await waited
    #expect(try #require(await versions.next()).version != first.version)
  }

  @Test("a wait ends at once if there was a commit before it")
  func earlierCommit() async throws {
    let bell = CommitBell()
    let count = bell.count
    bell.ring()
    await bell.wait(after: count, atMost: .seconds(3600))
    #expect(bell.count == count + 1)
  }
}
