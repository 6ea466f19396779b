import Foundation
import GRDB
import OffersCore
import OffersStore
import SQLiteMigrations

/// Migrates a database to the schema that this program uses.
enum SQLiteSchema {
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

/// Checks the names of the feeds and users in a file when it is opened, because the program prints them in
/// messages and in the commands that it proposes.
///
/// SQLite checks the constraints of the schema when a row is written. Its integrity check includes them only
/// on a connection that may write. So a file of somebody else may contain names that break them.
enum StoredNameCheck {
  /// Refuses a file with a name that this program does not store. A table that cannot be read is left
  /// to the checks of the file.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  static func check(in database: Database, path: String) throws {
    guard let problem = try find(in: database) else { return }
    throw OffersError(
      .storageFailed, "\(path) is damaged, or somebody made it up: \(problem).",
      hint: StorageFailure.salvageHint)
  }

  /// The fault in the stored names; nil if there is none, or if the names cannot be read.
  static func find(in database: Database) throws -> String? {
    func hasOther(_ table: String, _ isStored: (String) -> Bool) throws -> Bool {
      do {
        let rows = try Row.fetchCursor(database, sql: "SELECT name FROM \(table) ORDER BY name")
        while let row = try rows.next() {
          guard case .string(let name) = (row[0] as DatabaseValue).storage, isStored(name) else {
            return true
          }
        }
      } catch let error as DatabaseError where unreadableCodes.contains(error.resultCode) {
        // The reads of this program report such a place.
      }
      return false
    }
    if try hasOther("feed", FeedName.isStored) { return "a feed has a name that no feed can have" }
    if try hasOther("account", User.isStored) { return "a user has a name that no user can have" }
    return nil
  }

  /// The errors of a page or a table that cannot be read.
  private static let unreadableCodes: [ResultCode] = [
    .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_IOERR, .SQLITE_NOTADB,
  ]
}
