import Foundation
import GRDB
import OffersCore
import OffersStore
import SQLiteMigrations

/// Migrates a database to the schema that this program uses.
enum Schema {
  static let version = SQLiteMigrations.currentVersion

  /// The schema version of an open database. Read by a bare statement, because GRDB's migrator does
  /// more work at each start of a process.
  static func version(of database: Database) throws -> Int {
    try PreparedStatement(database, "PRAGMA user_version").first { $0.count(0) } ?? 0
  }

  /// Runs the missing migrations and sets the version and the application id, in one transaction. The
  /// caller holds the write guard.
  ///
  /// - Parameters:
  ///   - database: the connection.
  ///   - path: the file's path, for messages.
  ///   - proposesFeed: whether a new database is subscribed to `Feed.initialName`.
  static func migrate(_ database: Database, path: String, proposesFeed: Bool) throws {
    // Migrations drop and recreate tables. The pragma has no effect within a transaction.
    try database.execute(sql: "PRAGMA foreign_keys = OFF")
    try database.inTransaction(.immediate) {
      let current = try version(of: database)
      try checkOwner(database, version: current, path: path)
      try DatabaseFile.checkVersion(current, path: path)
      try database.execute(sql: steps(after: current))
      if current == 0, proposesFeed {
        try FeedTable.propose(at: Date(), in: SQLiteTransaction(database))
      }
      return .commit
    }
    try database.execute(sql: "PRAGMA foreign_keys = ON")
  }

  /// The SQL of the migrations after a version, and of the header fields that mark a migrated file.
  private static func steps(after current: Int) -> String {
    SQLiteMigrations.all.filter { $0.number > current }.reduce(into: "") { $0 += $1.sql + ";\n" }
      + """
      PRAGMA user_version = \(version);
      PRAGMA application_id = \(DatabaseFile.applicationID);

      """
  }

  /// Refuses another program's database. The check of the file's header does not suffice while that
  /// program's tables are only in its log.
  private static func checkOwner(_ database: Database, version: Int, path: String) throws {
    let mark = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    if mark == DatabaseFile.applicationID { return }
    let isEmpty = try Bool.fetchOne(
      database, sql: "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)")
    guard mark == 0, version == 0, isEmpty == true else { throw DatabaseFile.foreignFile(path) }
  }
}
