import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import SQLiteMigrations
import Testing

@testable import OffersSQLite

@Suite("A database of an older version")
struct ConversionTests {
  private static let schema = """
    SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name
    """

  /// The rows that no export has, in tables of both versions.
  private static let kept = [
    "SELECT * FROM feed_fetch ORDER BY 1", "SELECT * FROM missing_offer ORDER BY 1",
    "SELECT * FROM reader ORDER BY 1, 2", "SELECT * FROM notice ORDER BY 1, 2, 3, 4, 5",
    "SELECT * FROM passphrase ORDER BY 1", "SELECT * FROM api_token ORDER BY 1",
    "SELECT * FROM session ORDER BY 1", "SELECT * FROM login_attempt ORDER BY 1",
    "SELECT * FROM identity ORDER BY 1, 2", "SELECT * FROM server_key ORDER BY 1",
    "SELECT * FROM recent_search ORDER BY 1, 2", "SELECT * FROM image_tally",
    "SELECT *, hex(thumbnail), hex(bytes) FROM image_cache ORDER BY 1",
    "SELECT * FROM image_use ORDER BY 1", "SELECT * FROM image_failure ORDER BY 1",
    "SELECT * FROM image_lease ORDER BY 1", "SELECT * FROM sync_run ORDER BY 1",
    "SELECT * FROM sqlite_sequence WHERE name = 'api_token'",
    "SELECT offer_key, content_hash, first_seen_at FROM offer ORDER BY 1",
    "SELECT feed_key, hex(document_hash), hex(document_head_hash), document_bytes FROM feed ORDER BY 1",
  ]

  private static func open(
    _ path: String, _ access: OffersDatabase.Access = .readWrite
  ) async throws -> OffersDatabase {
    try await OffersDatabase.open(path: path, access: access)
  }

  private static func checkExport(of database: OffersDatabase) async throws {
    #expect(try await database.exported(allUsers: true).text() == EarlierVersion.export())
    #expect(
      try await database.exported(favoritesOnly: true, allUsers: true).text()
        == EarlierVersion.export(favoritesOnly: true))
  }

  @Test(
    "of the last version is converted: it has the current schema and all its data",
    arguments: [OffersDatabase.Access.readOnly, .readWrite])
  func converts(access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeOldFile(in: folder)
    let before = try Store.rows(path, Self.kept)
    let database = try await Self.open(path, access)
    #expect(try Store.rows(path, "PRAGMA user_version") == ["\(SQLiteMigrations.currentVersion)"])
    #expect(try await Store.rows(path, Self.schema) == Store().rows(Self.schema))
    #expect(
      try Store.rows(path, ["PRAGMA integrity_check", "PRAGMA foreign_key_check"]) == [["ok"], []])
    #expect(try Store.rows(path, Self.kept) == before)
    try await Self.checkExport(of: database)
    // The images of the file have one byte each.
    let findings = await database.examine(at: .distantPast)
    #expect(findings.allSatisfy { $0.level != .problem || $0.subject == "images" }, "\(findings)")
  }

  @Test("has the keys, kinds, counts and last numbers that this version keeps")
  func derives() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeOldFile(in: folder)
    let database = try await Self.open(path)
    #expect(
      try Store.rows(path, "SELECT name, current_count, gone_count FROM feed ORDER BY feed_key")
        == ["ibotta|0|0", "movies|5|1", "dead|0|0", "oldspans|4|0"])
    #expect(
      try Store.rows(path, "SELECT kind, group_concat(change_id) FROM change GROUP BY kind")
        == [
          "back|7012", "changed|7006,7007,7009,7010,7011", "down|7005", "first|7003",
          "gone|7013,7015,7016", "new|7014,7018,7020,7021,7022,7024", "up|7004,7008",
        ])
    #expect(
      try Store.rows(path, "SELECT id, gone_at, found_at FROM offer WHERE offer_key > 5004 LIMIT 3")
        == ["f1|NULL|150", "f2|NULL|151", "g|200|NULL"])
    #expect(
      try Store.rows(path, "SELECT group_concat(id) FROM offer WHERE first_run_id = 20")
        == ["p,a,b,c"])
    #expect(
      try Store.rows(
        path,
        "SELECT last_offer_key, last_change_id, last_run_id, last_user_key FROM commit_order, account_order"
      ) == ["6006|8000|24|9"])
    #expect(
      try Store.rows(
        path,
        "SELECT hex(name_key), hex(retailer_key), hex(category_keys) FROM offer WHERE id = 'a'")
        == ["73747261737365|61727A7465202620636F|FF73757373FF622030023132FF78FF"])
    #expect(
      try await database.search(SearchQuery("ägypten")).hits.map(\.offer.ref.offerID) == ["p"])
  }

  @Test("keeps what other programs added, also if it is invalid, and its opening tells of triggers")
  func keepsAdditions() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeOldFile(in: folder)
    try Store.execute(
      path,
      """
      CREATE TABLE seen (id TEXT);
      CREATE TRIGGER note AFTER INSERT ON favorite BEGIN INSERT INTO seen VALUES (new.id); END;
      CREATE TRIGGER broken AFTER INSERT ON notice BEGIN INSERT INTO nowhere VALUES (1); END;
      CREATE TRIGGER lost AFTER INSERT ON found_offer BEGIN SELECT 1; END;
      CREATE INDEX change_by_run ON change (kind);
      CREATE VIEW mine AS SELECT missing FROM image_cache, nowhere;
      """)
    let database = try await Self.open(path)
    #expect(database.foreignSchema == ["the trigger broken", "the trigger note"])
    try await database.setFavorites(named: ["movies:b"], to: true)
    #expect(try Store.rows(path, "SELECT id FROM seen") == ["b"])
    #expect(try Store.rows(path, "SELECT name FROM sqlite_schema WHERE type = 'view'").count == 2)
    let run =
      "SELECT count(*) FROM sqlite_schema WHERE sql = 'CREATE INDEX change_by_run ON change (run_id)'"
    #expect(try Store.rows(path, run) == ["1"])
  }

  @Test("with a row that breaks a constraint stays as it is, with the advice to recover it")
  func refusesBrokenRows() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeOldFile(in: folder)
    try Store.execute(
      path,
      "PRAGMA ignore_check_constraints = ON; UPDATE change SET fields = '{bad' WHERE kind = 'changed'"
    )
    let error = await #expect(throws: OffersError.self) { _ = try await Self.open(path) }
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains("cannot be brought up to date") == true)
    #expect(try Store.rows(path, "PRAGMA user_version") == ["32"])
  }

  /// The state of the disk after a kill is that of the file and its log in the middle of the transaction.
  @Test("stays as it is if the program is killed while it converts it")
  func survivesKill() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeOldFile(in: folder)
    let killed = folder.file("killed.sqlite")
    let queue = try DatabaseQueue(path: path, configuration: .offers(isReadOnly: false))
    try await queue.writeWithoutTransaction { database in
      // With a small cache, pages go to the log before the transaction ends.
      try database.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA cache_size = 5")
      try database.inTransaction(.immediate) {
        try Conversion.run(in: database, path: path)
        for ending in ["", "-wal"] {
          try FileManager.default.copyItem(atPath: path + ending, toPath: killed + ending)
        }
        return .rollback
      }
    }
    try queue.close()
    #expect(DatabaseFile(path: killed).logBytes > 100_000)
    for path in [killed, path] {
      #expect(
        try Store.rows(path, ["PRAGMA user_version", "PRAGMA integrity_check"]) == [["32"], ["ok"]])
      try await Self.checkExport(of: Self.open(path))
    }
  }

  @Test("that cannot be converted stays as it is")
  func convertsWhole() async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeOldFile(in: folder)
    try Store.execute(path, "CREATE TABLE account_order (id TEXT)")
    let before = try Store.rows(path, Self.schema)
    for access in [OffersDatabase.Access.readOnly, .readWrite] {
      await #expect(throws: OffersError.self) { try await Self.open(path, access) }
    }
    #expect(try Store.rows(path, Self.schema) == before)
    #expect(try Store.rows(path, "PRAGMA user_version") == ["32"])
  }

  @Test(
    "is refused untouched if it is older, and says what to do",
    arguments: [1, 31, 33, 100], [OffersDatabase.Access.readOnly, .readWrite])
  func refusesOlder(version: Int, access: OffersDatabase.Access) async throws {
    let folder = try TemporaryFolder()
    let path = try Store.makeOldFile(in: folder)
    try Store.execute(path, "PRAGMA user_version = \(version); PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try Data(contentsOf: URL(filePath: path))
    let error = await #expect(throws: OffersError.self) { try await Self.open(path, access) }
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains("\(path) was written by a version of the program") == true)
    #expect(error?.message.contains("too old to be brought up to date") == true)
    #expect(error?.hint?.contains("Export it with the version that wrote it last") == true)
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }
}
