import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import SQLiteMigrations
import TestStores

@testable import OffersSQLite

/// A test's own database, with helpers that fill and inspect it.
struct Store {
  let folder: TemporaryFolder
  let database: OffersDatabase

  var path: String { database.place }

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
    try queue(path).inDatabase { try $0.execute(sql: sql) }
  }

  /// A separate connection, with the functions of the search index.
  private static func queue(_ path: String) throws -> DatabaseQueue {
    var configuration = GRDB.Configuration.offersTables
    configuration.foreignKeysEnabled = true
    return try DatabaseQueue(path: path, configuration: configuration)
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
    try queue(path).inDatabase { database in
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

  /// Creates a database of an earlier schema with rows of every kind. Returns its path.
  static func makeOldFile(in folder: TemporaryFolder) throws -> String {
    let path = folder.file("offers.sqlite")
    let version = StoredVersion.sqliteSchema
    let migrations = SQLiteMigrations.all.filter { $0.number <= version }.map(\.sql)
    try execute(
      path,
      """
      PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF; BEGIN;
      \(migrations.joined(separator: ";\n"));
      PRAGMA user_version = \(version); PRAGMA application_id = \(DatabaseFile.applicationID);
      \(StoredVersion.sqliteRows); COMMIT
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
