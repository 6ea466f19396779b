import Dispatch
import Foundation
import GRDB
import OffersCore
import OffersStore
import OffersTestSupport
import SQLiteMigrations
import Synchronization
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
    var configuration = GRDB.Configuration.untrustedFile
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

extension OffersDatabase {
  /// The engine.
  var sqlite: SQLiteEngine {
    guard let engine = engine as? SQLiteEngine else { preconditionFailure("another engine") }
    return engine
  }

  /// Reads on a connection of the engine.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await sqlite.read(body)
  }

  /// Writes on the connection of the engine.
  func write<Result: Sendable>(
    _ mode: WriteMode = .ordinary, waitSeconds: Double = WriteGuard.waitSeconds,
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await sqlite.writing { try await $0.write(mode, waitSeconds: waitSeconds, body) }
  }
}

/// Holds a thread inside an operation until the test lets it go on.
final class Hold: Sendable {
  private let mayEnd = DispatchSemaphore(value: 0)
  private let (begins, beginning) = AsyncStream<Void>.makeStream()
  /// A failing test goes on after this time.
  private static let limitSeconds = 60.0

  /// Called by the operation, on a thread that may block: returns when the test calls `end`.
  func begin() {
    beginning.finish()
    _ = mayEnd.wait(timeout: .now() + Self.limitSeconds)
  }

  /// Returns when the operation has called `begin`.
  func begun() async { for await _ in begins {} }

  func end() { mayEnd.signal() }
}

/// Events in the order in which they happened.
final class Events: Sendable {
  private let names = Mutex<[String]>([])

  func add(_ name: String) { names.withLock { $0.append(name) } }
  var all: [String] { names.withLock { $0 } }
}

/// The open files of this process.
enum OpenFiles {
  /// The number of descriptors of a file.
  static func count(of path: String) -> Int {
    let folder = "/proc/self/fd"
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return numbers.count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)) == path
    }
  }
}
