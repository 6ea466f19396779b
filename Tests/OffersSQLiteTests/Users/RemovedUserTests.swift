import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("The rows of a removed user")
struct RemovedUserTests {
  @Test("are removed from every table, and those of others from none")
  func removesRows() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let ana = try await store.database.addUser(named: "Ana", role: .member)
    for record in [store.database, store.database.record(of: ana)] {
      try await record.setFavorites(named: ["1"], to: true)
      try await record.noteSearch(RecentSearch(words: "tea", searchedAt: ChangeTests.date(5)))
      try await record.setMark(ReaderMark(changeID: 1, readAt: ChangeTests.date(5)), of: "mail")
    }
    try store.execute(
      """
      INSERT INTO notice (user_key, kind, feed, id, about, told_at)
      SELECT user_key, 'expiring', 'ibotta', '1', 9000, 10 FROM account
      """)
    let tables = try store.rows(
      """
      SELECT name FROM sqlite_schema AS part WHERE type = 'table'
        AND EXISTS (SELECT 1 FROM pragma_table_info(part.name) WHERE name = 'user_key')
      """)
    let filled = ["account", "favorite", "recent_search", "reader", "notice"]
    #expect(Set(tables).isSuperset(of: filled))
    let others = tables.map { "SELECT * FROM \($0) WHERE user_key = 1" }
    let kept = try others.map { try store.rows($0) }
    try await store.database.removeUser(ana.id)
    for table in tables {
      #expect(try store.rows("SELECT * FROM \(table) WHERE user_key <> 1") == [], "\(table)")
    }
    #expect(try others.map { try store.rows($0) } == kept)
    #expect(await store.database.sqlite.examine().allSatisfy { $0.level != .problem })
  }
}
