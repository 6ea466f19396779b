import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import SQLiteMigrations
import Testing

@testable import OffersSQLite

@Suite("A new database")
struct NewDatabaseTests {
  @Test(
    "only its owner can read it and the files beside it", arguments: ["", "-wal", "-shm", "-lock"])
  func isPrivate(suffix: String) async throws {
    let store = try await Store()
    let attributes = try FileManager.default.attributesOfItem(atPath: store.path + suffix)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("the header has WAL mode, 8 KiB pages, the application id and the version")
  func hasOurHeader() async throws {
    let store = try await Store()
    #expect(try store.rows("PRAGMA journal_mode") == ["wal"])
    #expect(try store.rows("PRAGMA page_size") == ["8192"])
    #expect(try store.rows("PRAGMA application_id") == ["\(0x4F46_4652)"])
    #expect(try store.rows("PRAGMA user_version") == ["\(SQLiteMigrations.currentVersion)"])
  }

  @Test("writes use synchronous=FULL and secure_delete=FAST")
  func writesDurably() async throws {
    let store = try await Store()
    func value(_ pragma: String) async throws -> Int? {
      try await store.database.write { try Int.fetchOne($0, sql: "PRAGMA \(pragma)") }
    }
    #expect(try await value("synchronous") == 2)
    #expect(try await value("secure_delete") == 2)
    #expect(try await value("wal_autocheckpoint") == 0)
    #expect(try await value("foreign_keys") == 1)
  }

  @Test("every table is strict")
  func isStrict() async throws {
    let store = try await Store()
    // The search index has shadow tables of FTS5.
    let tables = try store.rows(
      """
      SELECT name FROM pragma_table_list
      WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name
      """)
    #expect(
      tables == [
        "account", "account_order", "api_token", "change", "channel", "commit_order", "delivery",
        "favorite", "feed", "feed_address",
        "feed_definition", "feed_fetch", "hiding", "host_wait", "identity", "image_cache",
        "image_color",
        "image_failure",
        "image_lease",
        "image_tally",
        "image_use", "login_attempt", "missing_offer", "notice", "offer", "passphrase", "reader",
        "recent_search", "search_state", "server_key", "session", "store_identity", "sync_run",
        "user_notice",
        "watch",
        "watch_state",
      ])
    let strict = try store.rows("SELECT name FROM pragma_table_list WHERE strict ORDER BY name")
    #expect(strict == tables)
  }

  @Test("missing folders are created, accessible by the owner only")
  func makesFolders() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a/b/offers.sqlite")
    _ = try await OffersDatabase.open(path: path)
    for made in ["a", "a/b"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(made))
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
    #expect(SQLitePlace(unchecked: path).exists)
  }

  @Test("a missing file, an empty one and a dangling link become the same database")
  func isTheSameHoweverBegun() async throws {
    let folder = try TemporaryFolder()
    let manager = FileManager.default
    let paths = ["missing", "empty", "link"].map { folder.file($0) }
    try #require(manager.createFile(atPath: paths[1], contents: nil))
    try manager.createSymbolicLink(atPath: paths[2], withDestinationPath: folder.file("target"))
    for path in paths { _ = try await OffersDatabase.open(path: path) }
    let states = try paths.map { path in
      let settings = ["page_size", "journal_mode", "encoding", "auto_vacuum", "user_version"]
      return try settings.flatMap { try Store.rows(path, "PRAGMA \($0)") }
        + Store.rows(path, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2")
        + Store.rows(path, "SELECT feed_key, name FROM feed")
    }
    #expect(states[0].contains("1|ibotta") && states[0].count > 30)
    #expect(states[1] == states[0])
    #expect(states[2] == states[0])
    #expect(try manager.destinationOfSymbolicLink(atPath: paths[2]) == folder.file("target"))
  }

  @Test("a stale log and journal of another database are not applied to it")
  func ignoresWhatWasLeftBehind() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("offers.sqlite")
    let old = folder.file("old.sqlite")
    let writer = try DatabaseQueue(path: old)
    // Kept open, so that the log is not checkpointed.
    try await writer.writeWithoutTransaction { database in
      try database.execute(
        sql: "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; CREATE TABLE offer (id)")
    }
    for ending in ["-wal", "-shm"] {
      try FileManager.default.copyItem(atPath: old + ending, toPath: path + ending)
    }
    try FileManager.default.copyItem(atPath: old, toPath: path + "-journal")
    let database = try await OffersDatabase.open(path: path)
    #expect(try await database.fetchFeeds().map(\.name) == ["ibotta"])
    #expect(try Store.rows(path, "PRAGMA integrity_check") == ["ok"])
    try writer.close()
  }

  @Test(
    "its folder has only the database's own files, even after an interruption",
    arguments: [[], [""]])
  func leavesNothingElse(remains: [String]) async throws {
    let folder = try TemporaryFolder()
    for ending in remains {
      let path = folder.file("offers.sqlite" + ending)
      try Data(ending.utf8).write(to: URL(fileURLWithPath: path))
    }
    let database = try await OffersDatabase.open(path: folder.file("offers.sqlite"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["", "-lock", "-shm", "-wal"].map { "offers.sqlite" + $0 })
    withExtendedLifetime(database) {}
  }

  @Test("each migration's file is embedded under its name, in order and without a gap")
  func embedsMigrations() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let files = try FileManager.default.contentsOfDirectory(
      at: root.appendingPathComponent("Migrations/SQLite/SQL"), includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "sql" }.sorted { $0.path < $1.path }
    #expect(!files.isEmpty)
    #expect(
      files.map { $0.deletingPathExtension().lastPathComponent }
        == SQLiteMigrations.all.map(\.name))
    for (file, migration) in zip(files, SQLiteMigrations.all) {
      #expect(try String(contentsOf: file, encoding: .utf8) == migration.sql)
      #expect(Int(migration.name.prefix(4)) == migration.number)
    }
    #expect(SQLiteMigrations.all.map(\.number) == Set(SQLiteMigrations.all.map(\.number)).sorted())
    #expect(SQLiteMigrations.all.last?.number == SQLiteMigrations.currentVersion)
  }
}
