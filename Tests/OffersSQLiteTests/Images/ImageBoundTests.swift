import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import Synchronization
import TestStores
import Testing

@testable import OffersSQLite

@Suite("The bound of the image table")
struct ImageBoundTests {
  private static let columns =
    "(url, content_type, width, height, fetched_at, fresh_until, bytes)"

  /// Rows for a range of numbers.
  private static func rows(_ first: Int, _ last: Int) -> String {
    """
    WITH RECURSIVE number(i) AS (VALUES (\(first)) UNION ALL SELECT i + 1 FROM number WHERE i < \(last))
    SELECT 'u' || i, 'image/png', 1, 1, 0, 0, x'00' FROM number
    """
  }

  private static func insert(_ first: Int, _ last: Int, _ conflict: String = "") -> String {
    "INSERT \(conflict) INTO image_cache \(columns) \(rows(first, last))"
  }

  private static func count(_ database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM image_cache") ?? 0
  }

  private static let conflicts = ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT"]

  @Test(
    "no statement of another program exceeds 50 images",
    arguments: conflicts,
    [
      [], ["PRAGMA recursive_triggers = OFF", "PRAGMA foreign_keys = OFF"],
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
        "UPDATE \(conflict) image_cache SET url = url || 'a'",
        Self.insert(1, 1, conflict), Self.insert(51, 70, conflict),
        "INSERT \(conflict) INTO image_cache SELECT url || 'b', content_type, width, height, etag, "
          + "last_modified, fetched_at, fresh_until, NULL, NULL, bytes FROM image_cache",
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
    try store.execute("UPDATE image_cache SET url = 'other' WHERE url = 'u50'")
    let error = #expect(throws: DatabaseError.self) {
      try store.execute("PRAGMA ignore_check_constraints = ON; \(Self.insert(52, 52))")
    }
    #expect(
      error?.message
        == "image_cache holds image_tally.image_limit images at most: remove one first")
  }

  @Test(
    "no statement of another program lowers the limit below the images, or removes it",
    arguments: conflicts)
  func keepsLimit(conflict: String) async throws {
    let store = try await Store()
    try await store.database.setImageLimit(5)
    try await DatabaseQueue(path: store.path).write { database in
      try database.execute(sql: Self.insert(1, 5))
      for statement in [
        "DELETE FROM image_tally", "INSERT OR REPLACE INTO image_tally VALUES (1, 3, 0, 0, 0)",
        "UPDATE \(conflict) image_tally SET image_limit = 3",
        "UPDATE \(conflict) image_tally SET image_limit = 0",
        "UPDATE \(conflict) image_tally SET image_limit = 10001", Self.insert(6, 9, conflict),
      ] {
        // The statement may be refused or not; only the bound is checked.
        try? database.execute(sql: statement)
        let limit = try Int.fetchOne(database, sql: "SELECT image_limit FROM image_tally")
        #expect(limit == 5, "\(statement)")
        #expect(try Self.count(database) == 5, "\(statement)")
      }
    }
  }

  @Test("other limits are enforced as strictly as the first", arguments: [1, 7, 120])
  func holdsOtherLimits(limit: Int) async throws {
    let store = try await Store()
    try await store.database.setImageLimit(limit)
    try store.execute(Self.insert(1, limit))
    for setting in ["PRAGMA foreign_keys = OFF", "PRAGMA ignore_check_constraints = ON"] {
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
}

/// A test's own database as an image cache.
final class ImageHome: Sendable {
  let folder: TemporaryFolder
  private let opened: Mutex<OffersDatabase>

  init() async throws {
    folder = try TemporaryFolder()
    opened = Mutex(try await OffersDatabase.openNew(in: folder))
  }

  var database: OffersDatabase { opened.withLock { $0 } }

  /// Sets or clears the favorite mark of an offer whose image has this URL.
  func setFavorite(_ url: String, to isFavorite: Bool) async throws {
    // No fsync, which no test here is about.
    try await database.write(.image) { database in
      let mark =
        isFavorite
        ? "INSERT INTO favorite (user_key, feed, id, created_at) VALUES (1, 'ibotta', ?, 0)"
        : "DELETE FROM favorite WHERE user_key = 1 AND feed = 'ibotta' AND id = ?"
      try database.execute(
        sql: """
          INSERT INTO offer
            (feed_key, id, content_hash, first_seen_at, changed_at, name, name_key, reward_up_to,
              image_url)
          VALUES (1, ?1, 0, 0, 0, 'Tea', x'', 0, ?1) ON CONFLICT DO NOTHING
          """, arguments: [url])
      try database.execute(sql: mark, arguments: [url])
    }
  }

  /// Drops the database as in a crash, and opens it again.
  func crash() async throws {
    // Earlier enqueued uses are written first, as in the program that dies. The uses gathered since
    // are lost with it.
    try await database.engine.finishLaterWrites()
    _ = database.imageUses.take()
    let again = try await OffersDatabase.open(path: folder.file("offers.sqlite"))
    opened.withLock { $0 = again }
  }

  /// Rows as another program sees them.
  func count() throws -> Int {
    try DatabaseQueue(path: folder.file("offers.sqlite")).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM image_cache") ?? 0
    }
  }
}
