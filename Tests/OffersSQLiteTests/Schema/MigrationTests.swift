import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import SQLiteMigrations
import Testing

@testable import OffersSQLite

@Suite("A database of an earlier schema")
struct MigrationTests {
  private static let schema = """
    SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name
    """

  /// Queries of every value in every table of the earlier schema, without the search index and leases.
  private static func queries(of path: String) throws -> [String] {
    try Store.rows(
      path,
      """
      SELECT 'SELECT ' || group_concat('quote(' || columns.name || ')') || ' FROM ' || tables.name
        || ' ORDER BY ' || group_concat(columns.cid + 1)
      FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
      WHERE tables.type = 'table' AND tables.name NOT GLOB '*search_*'
        AND tables.name NOT GLOB '*lease*' AND tables.name NOT IN ('offer_search', 'sqlite_sequence')
      GROUP BY tables.name
      """
    )
  }

  private static func open(
    _ path: String, _ access: OffersDatabase.Access = .readWrite
  ) async throws -> OffersDatabase {
    try await OffersDatabase.open(path: path, access: access)
  }

  @Test(
    "is migrated: it has the current schema and all its data, and exports the same bytes",
    arguments: [OffersDatabase.Access.readOnly, .readWrite])
  func migrates(access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeOldFile(in: folder)
    let queries = try Self.queries(of: path)
    let before = try Store.rows(path, queries)
    #expect(before.joined().count == 74)
    let database = try await Self.open(path, access)
    #expect(try Store.rows(path, "PRAGMA user_version") == ["\(SQLiteMigrations.currentVersion)"])
    #expect(
      try await Set(Store.rows(path, Self.schema)) == Set(Store().rows(Self.schema)))
    #expect(
      try Store.rows(path, ["PRAGMA integrity_check", "PRAGMA foreign_key_check"]) == [["ok"], []])
    #expect(try Store.rows(path, queries) == before)
    #expect(try await database.exported(allUsers: true).text() == StoredVersion.exportNow())
    #expect(
      try await database.exported(favoritesOnly: true, allUsers: true).text()
        == StoredVersion.exportNow(favoritesOnly: true))
    #expect(
      try await database.search(SearchQuery("ägypten")).hits.map(\.offer.ref.offerID) == ["p"])
  }

  @Test("that cannot be migrated stays as it is")
  func migratesWhole() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeOldFile(in: folder)
    // A migration fails, because what it adds is there.
    let adding = SQLiteMigrations.all.first { $0.number == StoredVersion.sqliteSchema + 1 }
    try Store.execute(path, #require(adding).sql)
    let queries = ["PRAGMA user_version", Self.schema]
    let before = try Store.rows(path, queries)
    for access in [OffersDatabase.Access.readOnly, .readWrite] {
      await #expect(throws: OffersError.self) { try await Self.open(path, access) }
    }
    #expect(try Store.rows(path, queries) == before)
  }

  @Test(
    "that is older than the first migration is refused untouched, and the refusal says what to do",
    arguments: [1, 32, 100], [OffersDatabase.Access.readOnly, .readWrite])
  func refusesOlder(version: Int, access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeOldFile(in: folder)
    try Store.execute(path, "PRAGMA user_version = \(version); PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try Data(contentsOf: URL(filePath: path))
    let error = await #expect(throws: OffersError.self) { try await Self.open(path, access) }
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains("\(path) was written by a version of the program") == true)
    #expect(error?.message.contains("too old to be brought up to date") == true)
    #expect(error?.hint?.text.contains("Export it with the version that wrote it last") == true)
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }
}
