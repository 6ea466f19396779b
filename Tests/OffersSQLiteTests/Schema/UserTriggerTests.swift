import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("A trigger that a user added to the offers")
struct UserTriggerTests {
  /// Records each row that a statement inserts, changes or removes.
  private static let triggers = """
    CREATE TABLE seen (what TEXT NOT NULL, id TEXT NOT NULL, note_key INTEGER PRIMARY KEY);
    CREATE TRIGGER note_insert AFTER INSERT ON offer BEGIN
      INSERT INTO seen (what, id) VALUES ('new', new.id);
      UPDATE seen SET what = what WHERE id = new.id;
    END;
    CREATE TRIGGER note_update AFTER UPDATE ON offer BEGIN
      INSERT INTO seen (what, id) VALUES ('changed', new.id);
    END;
    """

  @Test("fires for every offer, and changes no sync's result")
  func breaksNoSync() async throws {
    let store = try await Store()
    try store.execute("\(Self.triggers) INSERT INTO seen VALUES ('before', 'x', 5000)")
    let first = try await store.sync(
      (1...300).map { FeedOffer("\($0)", more: $0 % 3 == 0 ? [.retailer: "Shop \($0)"] : [:]) })
    #expect(first.counts.new == 300)
    #expect(
      try store.rows("SELECT count(*), count(DISTINCT id) FROM seen WHERE what = 'new'")
        == ["300|300"])
    // Changes refer to the offers, not to the rows of the trigger.
    #expect(
      try store.rows(
        """
        SELECT count(*) FROM offer WHERE retailer = 'Shop ' || id
        """) == ["100"])
    let second = try await store.sync(
      [FeedOffer("new"), FeedOffer("1", name: "Oats")] + (2...299).map { FeedOffer("\($0)") },
      at: 2000)
    #expect([second.counts.new, second.counts.changed, second.counts.gone] == [1, 100, 1])
    let told = try await store.database.fetchChanges(
      ChangeQuery(now: ChangeTests.date(3000))
    ).changes
    #expect(
      told.filter { [.first, .new].contains($0.kind) }.map { $0.offer?.ref.offerID ?? $0.feed }
        == ["ibotta", "new"])
    #expect(told.map(\.kind) == [.first] + Array(repeating: .changed, count: 100) + [.new, .gone])
    let feed = try #require(try await store.database.fetchFeeds().first)
    #expect(feed.currentCount == 300 && feed.goneCount == 1)
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
  }
}
