import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Health checks and repairs")
struct HealthTests {
  private static func lived() async throws -> Store {
    let store = try await Store()
    try await store.sync((0..<2000).map { FeedOffer("\($0)", description: "Some more text") })
    _ = try await store.database.setFavorites(named: ["5", "6"], to: true)
    return store
  }

  private static func open(
    _ store: Store, _ access: OffersDatabase.Access = .readWrite
  ) async throws -> OffersDatabase {
    try await OffersDatabase.open(path: store.path, access: access)
  }

  /// The findings that are not ok.
  private static func trouble(_ store: Store) async throws -> [String] {
    try await open(store).sqlite.examine().filter { $0.level != .ok }
      .map { "\($0.level.rawValue) \($0.subject): \($0.message)" }
  }

  private static func repair(_ store: Store) async throws -> [String] {
    try await open(store).sqlite.repair().map {
      "\($0.isDone ? "done" : "failed") \($0.subject): \($0.message)"
    }
  }

  @Test("a healthy database passes every check, and a repair does nothing")
  func sound() async throws {
    let store = try await Self.lived()
    #expect(try await Self.trouble(store) == [])
    #expect(
      try await Self.open(store).sqlite.examine().map(\.subject)
        == HealthCheck.all.map(\.subject))
    #expect(try await Self.repair(store) == [])
  }

  @Test("wrong counts are found and corrected")
  func counts() async throws {
    let store = try await Self.lived()
    try store.execute("UPDATE feed SET current_count = 7, gone_count = 3")
    #expect(
      try await Self.trouble(store) == [
        "problem counts: ibotta says 7 offers, 3 gone, and has 2000, 0 gone"
      ])
    #expect(
      try await Self.repair(store) == [
        "done counts: corrected the counts: ibotta says 7 offers, 3 gone, and has 2000, 0 gone"
      ])
    #expect(try await Self.trouble(store) == [])
  }

  @Test("a missing index and a changed table are reported, with what to do")
  func schema() async throws {
    let store = try await Self.lived()
    func finding() async throws -> Finding? {
      try await Self.open(store).sqlite.examine().first { $0.level != .ok }
    }
    try store.execute("DROP INDEX offer_by_gone; DROP TRIGGER image_cache_is_bounded")
    let missing = try #require(try await finding())
    #expect(missing.message == "the index offer_by_gone is missing")
    #expect(missing.hint?.text == "Export it, and import the export into a new database")
    #expect(try await Self.repair(store) == [])
    try store.execute("ALTER TABLE reader ADD COLUMN mood TEXT")
    let changed = try await Self.trouble(store)
    #expect(changed == ["problem schema: the index offer_by_gone is missing"])
    #expect(try await finding()?.hint == StorageFailure.salvageHint)
  }

  @Test("an index that lacks rows is rebuilt, and every favorite stays")
  func index() async throws {
    let store = try await Self.lived()
    try Damage.detach(
      "offer_by_gone", during: "UPDATE offer SET gone_at = 1500 WHERE offer_key <= 3", in: store)
    let trouble = try await Self.trouble(store)
    #expect(trouble.first?.contains("missing from index offer_by_gone") == true)
    let findings = try await Self.open(store).sqlite.examine()
    #expect(findings.first { $0.subject == "integrity" }?.hint == HealthCheck.repairHint)
    let repairs = try await Self.repair(store)
    #expect(repairs.first == "done integrity: rebuilt all indexes")
    #expect(try await Self.trouble(store) == [])
    #expect(try store.rows("SELECT id FROM favorite") == ["5", "6"])
  }

  @Test(
    "an overwritten page is reported with advice, and a repair changes nothing",
    arguments: ["offer", "offer_search_data", "image_cache"])
  func page(table: String) async throws {
    let store = try await Self.lived()
    try Damage.overwritePage(of: table, in: store)
    let before = try Data(contentsOf: URL(fileURLWithPath: store.path))
    let findings = try await Self.open(store).sqlite.examine()
    let integrity = findings.first { $0.subject == "integrity" }
    #expect(integrity?.level == .problem)
    #expect(integrity?.hint == Integrity.damageHint)
    let repairs = try await Self.repair(store)
    #expect(repairs.first?.hasPrefix("failed integrity") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == before)
    #expect(try store.rows("SELECT id FROM favorite") == ["5", "6"])
  }

  @Test("rows with invalid references are reported")
  func references() async throws {
    let store = try await Self.lived()
    try store.execute("PRAGMA foreign_keys = OFF; UPDATE change SET run_id = 7")
    #expect(
      try await Self.trouble(store) == [
        "problem references: rows refer to missing rows (1), the first in change to sync_run"
      ])
    try store.execute(
      """
      PRAGMA foreign_keys = OFF; UPDATE change SET run_id = (SELECT max(run_id) FROM sync_run);
      INSERT INTO missing_offer VALUES (9997, 1, 2, 0), (9998, 1, 2, 0)
      """)
    #expect(
      try await Self.trouble(store) == [
        "problem references: rows refer to missing rows (2), the first in missing_offer to offer"
      ])
  }

  @Test("the holder of each lock is reported")
  func locks() async throws {
    let store = try await Self.lived()
    let database = try await Self.open(store)
    @Sendable func line() -> String? {
      database.sqlite.examineTurns(of: ["ibotta"]).first { $0.subject == "locks" }?.message
    }
    #expect(line() == "nobody is writing or syncing")
    let pid = ProcessInfo.processInfo.processIdentifier
    try await database.withSyncLock(on: "ibotta", waitSeconds: 1) {
      #expect(line()?.hasSuffix("(process \(pid)) is syncing ibotta just now") == true)
    }
    let lock = try DatabaseLock(path: store.path + "-lock")
    #expect(try lock.tryLock())
    #expect(line()?.hasSuffix("(process \(pid)) is writing just now") == true)
    lock.unlock()
    #expect(line() == "nobody is writing or syncing")
  }

  @Test(
    "a search index that does not match the offers' texts is found and rebuilt",
    arguments: [
      "DELETE FROM offer_search_data WHERE id > 10", "DELETE FROM offer_search_data",
      "UPDATE offer SET name = 'Zebra' WHERE id = '7'",
    ])
  func words(damage: String) async throws {
    let store = try await Self.lived()
    try store.execute(damage)
    let trouble = try await Self.trouble(store)
    #expect(trouble == ["problem search: the index does not match the texts of the offers"])
    #expect(try await Self.repair(store) == ["done search: rebuilt from the offers"])
    #expect(try await Self.trouble(store) == [])
    let name = try store.rows("SELECT name FROM offer WHERE id = '7'")[0]
    #expect(try await store.database.search(SearchQuery(name, limit: 5000)).hits.count > 0)
    // The tables of the index are defended again.
    await #expect(throws: OffersError.self) {
      try await store.database.write { try $0.execute(sql: "DROP TABLE offer_search_data") }
    }
  }

  @Test("without write access, or during a write, a check reports what it skipped")
  func wordsUnread() async throws {
    let store = try await Self.lived()
    let lock = try DatabaseLock(path: store.path + "-lock")
    #expect(try lock.tryLock())
    let finding = try await Self.open(store, .readOnly).sqlite.examine()
      .first { $0.subject == "search" }
    #expect(finding?.level == .ok)
    #expect(
      finding?.message == "the index has every offer; its words were not compared, "
        + "because somebody is writing")
    lock.unlock()
  }
}

/// Damages a database, as disks and programs do.
enum Damage {
  /// Overwrites a leaf page of a table or an index directly in the file: the second one, if there
  /// are several.
  static func overwritePage(of name: String, in store: Store) throws {
    try overwritePage(of: name, in: store.path)
  }

  static func overwritePage(of name: String, in path: String) throws {
    try Store.execute(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    let page = try Store.rows(
      path,
      """
      SELECT pageno FROM dbstat WHERE name = '\(name)' AND pagetype = 'leaf'
      ORDER BY pageno LIMIT 2
      """)
    let size = try Store.rows(path, "PRAGMA page_size")
    guard let number = page.last.flatMap(Int.init), let bytes = size.first.flatMap(Int.init) else {
      throw CocoaError(.fileReadUnknown)
    }
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64((number - 1) * bytes))
    try file.write(contentsOf: Data(repeating: 0x5A, count: bytes))
    try file.close()
  }

  /// Removes from an index the entries that a statement writes.
  static func detach(_ index: String, during sql: String, in store: Store) throws {
    try DatabaseQueue(path: store.path).inDatabase { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT rootpage, sql FROM sqlite_schema WHERE name = ?", arguments: [index])
      guard let row else { throw CocoaError(.fileReadUnknown) }
      let values: (Int, String) = (row[0], row[1])
      try database.execute(
        sql: "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '\(index)'")
      try database.execute(sql: "PRAGMA writable_schema = RESET")
      try database.execute(sql: sql)
      try database.execute(sql: "PRAGMA writable_schema = ON")
      try database.execute(
        sql: """
          INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)
          VALUES ('index', ?, 'offer', ?, ?)
          """, arguments: [index, values.0, values.1])
      try database.execute(sql: "PRAGMA writable_schema = RESET")
    }
  }
}
