import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import Testing

@Suite("The bound of the image table")
struct ImageBoundTests {
  private static let columns =
    "(slot, url, content_type, width, height, fetched_at, fresh_until, bytes)"

  /// Rows for a range of slots.
  private static func rows(_ first: Int, _ last: Int) -> String {
    """
    WITH RECURSIVE number(i) AS (VALUES (\(first)) UNION ALL SELECT i + 1 FROM number WHERE i < \(last))
    SELECT i, 'u' || i, 'image/png', 1, 1, 0, 0, x'00' FROM number
    """
  }

  private static func insert(_ first: Int, _ last: Int, _ conflict: String = "") -> String {
    "INSERT \(conflict) INTO image_cache \(columns) \(rows(first, last))"
  }

  private static func count(_ database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM image_cache") ?? 0
  }

  private static let conflicts = ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT"]

  @Test("a new database has as many places as the default limit")
  func hasDefaultLimit() async throws {
    let store = try await Store()
    let contents = try await store.database.fetchImageContents(now: .distantPast)
    #expect(contents.limit == ImageBounds.defaultImages)
  }

  @Test(
    "no statement of another program exceeds 50 images",
    arguments: conflicts,
    [
      [], ["PRAGMA recursive_triggers = OFF", "PRAGMA foreign_keys = OFF"],
      ["PRAGMA ignore_check_constraints = ON"], ["DROP TRIGGER image_cache_is_bounded"],
      ["PRAGMA ignore_check_constraints = ON", "PRAGMA recursive_triggers = ON"],
    ])
  func holds(conflict: String, settings: [String]) async throws {
    let store = try await Store()
    try DatabaseQueue(path: store.path).inDatabase { database in
      for setting in settings { try database.execute(sql: setting) }
      try database.execute(sql: Self.insert(1, 48))
      for statement in [
        Self.insert(49, 60, conflict), Self.insert(49, 49, conflict), Self.insert(50, 50, conflict),
        Self.insert(51, 51, conflict), Self.insert(-5, 0, conflict),
        "UPDATE \(conflict) image_cache SET slot = slot + 50",
        "UPDATE \(conflict) image_cache SET slot = 51 WHERE slot = 1",
        Self.insert(1, 1, conflict), Self.insert(51, 70, conflict),
        "INSERT \(conflict) INTO image_cache SELECT slot + 100, url || 'b', content_type, width, "
          + "height, etag, last_modified, fetched_at, fresh_until, bytes FROM image_cache",
      ] {
        // The statement may be refused or not; only the bound is checked.
        try? database.execute(sql: statement)
        #expect(try Self.count(database) <= 50, "\(statement)")
      }
      #expect(try Self.count(database) > 40)
    }
  }

  @Test("a full table allows updates in place, and refuses another row with a message")
  func saysSo() async throws {
    let store = try await Store()
    try store.execute(Self.insert(1, 50))
    try store.execute(Self.insert(50, 50, "OR REPLACE"))
    try store.execute("UPDATE image_cache SET url = 'other' WHERE slot = 50")
    let error = #expect(throws: DatabaseError.self) {
      try store.execute("PRAGMA ignore_check_constraints = ON; \(Self.insert(51, 51))")
    }
    #expect(
      error?.message == "image_cache holds one image for each cache_slot at most: write over one")
  }

  @Test(
    "no statement of another program removes a slot that an image needs, or the last one",
    arguments: conflicts,
    [
      [], ["PRAGMA foreign_keys = OFF"],
      ["PRAGMA foreign_keys = OFF", "PRAGMA ignore_check_constraints = ON"],
      ["DROP TRIGGER cache_slot_is_unused", "DROP TRIGGER cache_slot_is_kept"],
    ])
  func keepsSlots(conflict: String, settings: [String]) async throws {
    let store = try await Store()
    try await store.database.setImageLimit(5)
    try await DatabaseQueue(path: store.path).write { database in
      for setting in settings { try database.execute(sql: setting) }
      try database.execute(sql: Self.insert(1, 5))
      for statement in [
        "DELETE FROM cache_slot", "DELETE FROM cache_slot WHERE slot = 3",
        "UPDATE \(conflict) cache_slot SET slot = 4 WHERE slot = 3",
        "UPDATE \(conflict) cache_slot SET slot = slot + 1",
        "INSERT \(conflict) INTO cache_slot VALUES (3)", Self.insert(6, 9, conflict),
      ] {
        // The statement may be refused or not; only the bound is checked.
        try? database.execute(sql: statement)
        let slots = try Int.fetchOne(database, sql: "SELECT count(*) FROM cache_slot") ?? 0
        #expect(try Self.count(database) <= slots, "\(statement)")
        #expect(try Self.count(database) == 5, "\(statement)")
      }
    }
    let empty = try await Store()
    #expect(throws: DatabaseError.self) { try empty.execute("DELETE FROM cache_slot") }
    #expect(throws: DatabaseError.self) {
      try empty.execute("INSERT INTO cache_slot VALUES (10001)")
    }
    #expect(throws: DatabaseError.self) { try empty.execute("INSERT INTO cache_slot VALUES (0)") }
  }

  @Test("other limits are enforced as strictly as the first", arguments: [1, 7, 120])
  func holdsOtherLimits(limit: Int) async throws {
    let store = try await Store()
    try await store.database.setImageLimit(limit)
    try store.execute(Self.insert(1, limit))
    for setting in [
      "PRAGMA foreign_keys = OFF", "PRAGMA ignore_check_constraints = ON",
      "DROP TRIGGER IF EXISTS image_cache_is_bounded",
    ] {
      for conflict in Self.conflicts {
        try DatabaseQueue(path: store.path).inDatabase { database in
          try database.execute(sql: setting)
          // OR IGNORE reports no error.
          try? database.execute(sql: Self.insert(limit + 1, limit + 1, conflict))
          #expect(try Self.count(database) == limit, "\(setting), \(conflict)")
        }
      }
    }
  }

  @Test(
    "rows that cannot be images are refused",
    arguments: [
      "content_type = 'text/html'", "content_type = 'image/svg+xml'", "width = 0", "height = -1",
      "url = ''", "bytes = x''", "bytes = zeroblob(5242881)", "bytes = 'text'", "etag = ''",
      "width = 10000, height = 5001", "fetched_at = 'now'",
    ])
  func refuses(change: String) async throws {
    let store = try await Store()
    try store.execute(Self.insert(1, 1))
    #expect(throws: DatabaseError.self) {
      try store.execute("UPDATE image_cache SET \(change)")
    }
  }

  @Test("at most 200 failures are kept, and the oldest are removed first")
  func boundsFailures() async throws {
    let store = try await Store()
    try store.execute(
      """
      WITH RECURSIVE number(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM number WHERE i < 230)
      INSERT INTO image_failure (url, code, reason, until)
      SELECT 'u' || i, 'notFound', 'missing', i FROM number
      """)
    #expect(try store.rows("SELECT count(*), min(until) FROM image_failure") == ["200|31"])
  }
}
