import Foundation
import GRDB
import OffersCore
import OffersTestSupport
import SQLiteMigrations
import TestStores

@testable import OffersSQLite

/// A test's own database, with helpers that fill and inspect it.
struct Store {
  let folder: TemporaryFolder
  let database: OffersDatabase

  var path: String { database.path }

  init() async throws {
    folder = try TemporaryFolder()
    database = try await OffersDatabase.openNew(in: folder)
  }

  /// Opens a database in a folder of the test.
  init(at path: String, in folder: TemporaryFolder) async throws {
    self.folder = folder
    database = try await OffersDatabase.open(path: path)
  }

  /// Creates a database in a folder and closes it. Returns its path.
  static func makeFile(in folder: TemporaryFolder) async throws -> String {
    let path = folder.file("offers.sqlite")
    // Connections that are released are closed later, on other threads.
    try await OffersDatabase.open(path: path).close()
    return path
  }

  /// Runs statements on a separate connection with foreign keys on.
  static func execute(_ path: String, _ sql: String) throws {
    try DatabaseQueue(path: path).inDatabase { try $0.execute(sql: sql) }
  }

  func execute(_ sql: String) throws {
    try Self.execute(path, sql)
  }

  /// The rows of a query as text, with columns joined by a bar.
  static func rows(_ path: String, _ sql: String) throws -> [String] {
    try rows(path, [sql]).first ?? []
  }

  /// The rows of each query on one connection.
  static func rows(_ path: String, _ queries: [String]) throws -> [[String]] {
    try DatabaseQueue(path: path).inDatabase { database in
      try queries.map { sql in
        try Row.fetchAll(database, sql: sql).map { row in
          row.databaseValues.map { value in
            String.fromDatabaseValue(value) ?? Int64.fromDatabaseValue(value).map(String.init)
              ?? "NULL"
          }.joined(separator: "|")
        }
      }
    }
  }

  func rows(_ sql: String) throws -> [String] { try Self.rows(path, sql) }

  /// All changes, one per offer: `change_id`, `offer_key`, `run_id`, `kind`, `fields`.
  static let eachChange = """
    (WITH RECURSIVE each_change AS (
      SELECT change_id, offer_key, run_id, kind, fields, coalesce(offer_count, 1) AS offer_count
      FROM change LEFT JOIN new_offers USING (change_id)
      UNION ALL
      SELECT change_id - 1, offer_key - 1, run_id, kind, fields, offer_count - 1 FROM each_change
      WHERE offer_count > 1
    ) SELECT * FROM each_change)
    """

  /// Creates a database as an older version of the program did, with some offers, their changes and
  /// a favorite. Returns its path.
  static func makeFile(in folder: TemporaryFolder, version: Int, offerCount: Int = 3000) throws
    -> String
  {
    let path = folder.file("offers.sqlite")
    let migrations = SQLiteMigrations.all.filter { $0.number <= version }.map { $0.sql + ";\n" }
      .joined()
    try execute(
      path,
      """
      PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; BEGIN; \(migrations)
      PRAGMA user_version = \(version); PRAGMA application_id = \(DatabaseFile.applicationID);
      INSERT INTO sync_run VALUES (
        1, 1, '/feeds/ibotta.json', 1000, 5, 'updated', 10, \(offerCount), 0, 0, 0, 0, 0, 0, 0, NULL,
        NULL, NULL, NULL\(version < 15 ? "" : ", NULL"));
      WITH RECURSIVE number (n) AS (
        SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(offerCount))
      INSERT INTO offer (
        feed_key, id, content_hash, first_seen_at, changed_at, name, reward_up_to
      ) SELECT 1, n, 7, 1000, 1000, 'Milk ' || n, 0 FROM number;
      INSERT INTO change (offer_key, run_id, kind) SELECT offer_key, 1, 'new' FROM offer ORDER BY 1;
      UPDATE feed SET current_count = \(offerCount);
      INSERT INTO favorite (\(version < 20 ? "" : "user_key, ")feed, id, created_at)
      VALUES (\(version < 20 ? "" : "1, ")'ibotta', '7', 1500);
      \(version < 5 ? "" : "UPDATE search_state SET is_current = 0;")
      COMMIT;
      """)
    return path
  }

  /// Syncs a feed as the engine would, given all its current offers in order.
  @discardableResult
  func sync(
    _ offers: [FeedOffer], feed: String = "ibotta", at seconds: Int = 1000, isIndexed: Bool = true
  ) async throws -> SyncRun {
    try await database.sync(offers, feed: feed, at: seconds, isIndexed: isIndexed)
  }

  /// The plan that the engine would make for a feed.
  func plan(
    _ offers: [FeedOffer], feed: String = "ibotta", at seconds: Int = 1000, _ isIndexed: Bool = true
  ) async throws -> SyncPlan {
    try await database.plan(offers, feed: feed, at: seconds, isIndexed: isIndexed)
  }
}
