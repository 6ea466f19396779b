import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("A removed user")
struct RemovedUserTests {
  /// Two users with a favorite, a search, a mark and a notice each.
  private static func filled() async throws -> Household {
    let home = try await Household()
    try await home.owners.setFavorites(named: ["1", "2"], to: true)
    try await home.anas.setFavorites(named: ["2", "3"], to: true)
    for record in [home.owners, home.anas] {
      try await record.noteSearch(RecentSearch(words: "tea", searchedAt: ChangeTests.date(5)))
      try await record.setMark(
        ReaderMark(changeID: 3, readAt: ChangeTests.date(5)), of: "mail")
    }
    try home.store.execute(
      """
      INSERT INTO notice (user_key, kind, feed, id, about, told_at)
      SELECT user_key, 'expiring', 'ibotta', '2', 9000, 10 FROM account
      """)
    return home
  }

  private static let tables = ["favorite", "recent_search", "reader", "notice"]

  @Test("takes their favorites, searches, marks and notices along, and nothing else")
  func removesTheirs() async throws {
    let home = try await Self.filled()
    let others = Self.tables.map { "SELECT * FROM \($0) WHERE user_key = 1" }
    let shared = ["offer", "feed", "sync_run", "change"].map { "SELECT * FROM \($0)" }
    let kept = try (others + shared).map { try home.store.rows($0) }
    #expect(kept.allSatisfy { !$0.isEmpty })
    try await home.owners.removeUser(home.ana.id)
    for table in Self.tables + ["account"] {
      #expect(try home.store.rows("SELECT * FROM \(table) WHERE user_key <> 1") == [], "\(table)")
    }
    #expect(try (others + shared).map { try home.store.rows($0) } == kept)
    #expect(try home.store.rows("PRAGMA foreign_key_check") == [])
    #expect(await home.owners.examine(at: .now).allSatisfy { $0.level != .problem })
  }

  @Test("stays if they got a favorite after the export of the others")
  func exportedBefore() async throws {
    let home = try await Self.filled()
    let exported = Set(
      try await home.anas.exported(favoritesOnly: true).favorites.map(\.ref))
    try await home.anas.setFavorites(named: ["4"], to: true)
    let before = try await home.store.exported(allUsers: true).text()
    let error = await #expect(throws: OffersError.self) {
      try await home.owners.removeUser(home.ana.id, exported: exported)
    }
    #expect(error?.code == .locked)
    #expect(
      error?.message == "Ana got another favorite, ibotta:4, while the favorites were exported.")
    #expect(try await home.store.exported(allUsers: true).text() == before)
    // A favorite that was taken off since is in the export.
    try await home.anas.setFavorites(named: ["3", "4"], to: false)
    try await home.owners.removeUser(home.ana.id, exported: exported)
    #expect(try await home.owners.fetchUsers().map(\.id) == [User.ownerID])
  }

  @Test("is refused news and imports with a clear error, and exports nothing of others")
  func refusesTransfer() async throws {
    let home = try await Self.filled()
    let kept = try await home.store.exported()
    try await home.owners.removeUser(home.ana.id)
    // A later user gets nothing from the record of the removed one.
    try await home.owners.addUser(named: "Ana", role: .member)
    let before = try Self.tables.map { try home.store.rows("SELECT * FROM \($0)") }
    let now = ChangeTests.date(9)
    let writes: [(OffersDatabase) async throws -> Void] = [
      {
        try await $0.setNewsTold(
          News(changes: [], failing: []), lastID: 9, reader: "mail", now: now)
      },
      { _ = try await $0.importRecords(from: kept, feeds: kept.feeds, selections: []) },
    ]
    for (index, write) in writes.enumerated() {
      let error = await #expect(throws: OffersError.self) { try await write(home.anas) }
      #expect(error?.code == .notFound, "write \(index)")
      #expect(error?.message == "There is no such user: they were removed.", "write \(index)")
    }
    #expect(try Self.tables.map { try home.store.rows("SELECT * FROM \($0)") } == before)
    #expect(try await home.anas.exported().favorites == [])
  }

  @Test("no longer keeps gone offers and their history from being pruned; any user's favorite does")
  func prunes() async throws {
    let home = try await Household()
    try await home.owners.setFavorites(named: ["2"], to: true)
    try await home.anas.setFavorites(named: ["2", "3"], to: true)
    try await home.store.sync([FeedOffer("5", name: "Tea 5")], at: 2000)
    // The offer of the newest change is never pruned.
    try await home.store.sync([FeedOffer("5", name: "Tea 6")], at: 3000)
    func prune() async throws -> [String] {
      _ = try await home.owners.prune(
        goneBefore: ChangeTests.date(2001), now: ChangeTests.date(800 * 86_400),
        trustsClock: true, isTrial: false)
      return try home.store.rows("SELECT id FROM offer ORDER BY id")
    }
    #expect(try await prune() == ["2", "3", "5"])
    let points = try await home.anas.fetchHistory(named: "3").points
    #expect(points.map(\.event.rawValue) == ["new", "gone"])
    try await home.owners.removeUser(home.ana.id)
    #expect(try await prune() == ["2", "5"])
    #expect(try await Household.stars(home.owners) == ["2"])
  }
}
