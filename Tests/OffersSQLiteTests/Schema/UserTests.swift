import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite
@testable import OffersStore

@Suite("The rows of a removed user")
struct RemovedUserTests {
  @Test("are removed from every table, and those of others from none")
  func removesRows() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    let ana = try await store.database.addUser(named: "Ana", role: .member)
    for database in [store.database, store.database.bound(to: ana)] {
      try await database.setFavorites(named: ["1"], to: true)
      try await database.noteSearch(RecentSearch(words: "tea", searchedAt: ChangeTests.date(5)))
      try await database.hide("coffee")
      try await database.setMark(ReaderMark(changeID: 1, readAt: ChangeTests.date(5)), of: "mail")
    }
    try store.execute(
      """
      INSERT INTO notice (user_key, kind, feed, id, about, told_at)
      SELECT user_key, 'expiring', 'ibotta', '1', 9000, 10 FROM account;
      INSERT INTO watch (user_key, selection, rule, repeats, is_urgent, is_timed, created_at)
      SELECT user_key, '', 'match', 'never', 0, 0, 10 FROM account;
      INSERT INTO channel (user_key, name, folded_name, settings, is_default, created_at)
      SELECT user_key, 'mail', 'mail', '{}', 1, 10 FROM account;
      INSERT INTO feed_address (user_key, subject, hash, created_at)
      SELECT user_key, 'news', randomblob(32), 10 FROM account;
      INSERT INTO user_notice (user_key, watch_key, subject, at, feed, id, name, reason, is_urgent)
      SELECT user_key, watch_key, 'a', 10, 'ibotta', '1', 'Tea', '{}', 0 FROM watch;
      INSERT INTO delivery (channel_key, notice_key)
      SELECT channel_key, notice_key FROM channel JOIN user_notice USING (user_key)
      """)
    let tables = try store.rows(
      """
      SELECT name FROM sqlite_schema AS part WHERE type = 'table'
        AND EXISTS (SELECT 1 FROM pragma_table_info(part.name) WHERE name = 'user_key')
      """)
    let filled = [
      "account", "favorite", "hiding", "recent_search", "reader", "notice", "watch", "channel",
      "user_notice", "feed_address",
    ]
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

@Suite("Favorites in the database")
struct FavoriteTests {
  @Test("a favorite outlives every row of its feed and applies again when the offer returns")
  func outlivesFeed() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    _ = try await store.database.setFavorites(named: ["1"], to: true)
    try store.execute(
      """
      DELETE FROM change; DELETE FROM offer; DELETE FROM sync_run; DELETE FROM feed
      """)
    #expect(try store.rows("SELECT feed, id FROM favorite") == ["ibotta|1"])
    try await store.sync([FeedOffer("1")])
    #expect(try await store.database.fetchOffer(named: "1").isFavorite)
  }
}

@Suite("Sessions and failed logins")
struct AccessTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  private static func session(_ number: Int, seenAt: Double) -> Session {
    let id = (0..<32).map { UInt8(truncatingIfNeeded: $0 < 4 ? number >> (8 * $0) : 7) }
    return Session(
      id: id, user: User.ownerID, fingerprint: Array(repeating: 9, count: 32),
      createdAt: start + seenAt, lastSeenAt: start + seenAt, peer: "192.0.2.1", userAgent: "Firefox"
    )
  }

  @Test("a session is found, noted and ended by its primary key")
  func plans() async throws {
    let store = try await Store()
    let plans = try await QueryPlanTests.plans(store) { database in
      let transaction = SQLiteTransaction(database)
      let session = Self.session(1, seenAt: 0)
      _ = try SessionTable.find(session.id, in: transaction)
      try SessionTable.note(session.id, seenAt: Self.start, in: transaction)
      try SessionTable.delete(session.id, in: transaction)
      try LoginAttemptTable.delete(["192.0.2.1"], in: transaction)
    }
    #expect(plans.count == 4)
    for plan in plans { #expect(plan.uses("USING PRIMARY KEY"), "\(plan)") }
  }
}
