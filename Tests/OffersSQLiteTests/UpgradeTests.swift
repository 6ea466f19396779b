import OffersCore
import OffersTestSupport
import SQLiteMigrations
import Testing

@testable import OffersSQLite

@Suite("A database of an older version")
struct UpgradeTests {
  private static let schema = """
    SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name
    """

  @Test(
    "has the current schema and all its data once it is opened",
    arguments: Array(1..<SQLiteMigrations.currentVersion),
    [OffersDatabase.Access.readOnly, .readWrite])
  func upgrades(version: Int, access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeFile(in: folder, version: version, offerCount: 50)
    let kept = [
      "SELECT * FROM offer ORDER BY 1", "SELECT * FROM favorite", "SELECT * FROM sync_run",
      "SELECT change_id, offer_key, run_id, kind FROM change ORDER BY 1",
      "SELECT name, source, current_count FROM feed",
    ]
    let before = try kept.map { try Store.rows(path, $0) }
    let database = try OffersDatabase(path: path, access: access)
    #expect(try Store.rows(path, "PRAGMA user_version") == ["\(SQLiteMigrations.currentVersion)"])
    #expect(try Store.rows(path, Self.schema) == Store().rows(Self.schema))
    #expect(try kept.map { try Store.rows(path, $0) } == before)
    #expect(try Store.rows(path, "PRAGMA integrity_check") == ["ok"])
    #expect(try Store.rows(path, "PRAGMA foreign_key_check") == [])
    let favorites = try await database.fetchOffers(OfferQuery(favoritesOnly: true))
    #expect(favorites.map(\.name) == ["Milk 7"])
    let findings = await database.examine(at: .distantPast)
    #expect(findings.allSatisfy { $0.level != .problem })
  }

  @Test("is synced like any other, with one change per differing offer")
  func isSynced() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeFile(in: folder, version: 10, offerCount: 50)
    let database = try OffersDatabase(path: path)
    let known = try await database.fetchKnownOffers(of: "ibotta")
    #expect(known.count == 50 && known.currentCount == 50)
    #expect(try Store.rows(path, "SELECT count(*) FROM change") == ["50"])
  }
}
