import GRDB
import GRDBSQLite
import Migrations
import OffersCore

/// Brings a database to the schema this program works with.
enum Schema {
  static let version = Migrations.currentVersion

  /// The version of an open database.
  static func version(of database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
  }

  /// Runs the migrations that are missing, each step and its number in one transaction. The caller
  /// holds the write guard.
  static func migrate(_ database: Database, path: String) throws {
    try database.inTransaction(.immediate) {
      let current = try version(of: database)
      try DatabaseFile.checkVersion(current, path: path)
      try checkOwner(of: database, version: current, path: path)
      for migration in Migrations.all where migration.number > current {
        try run(
          migration.sql + ";\nPRAGMA user_version = \(migration.number);", in: database)
      }
      try database.execute(sql: "PRAGMA application_id = \(DatabaseFile.applicationID)")
      return .commit
    }
  }

  /// Runs many statements at a fraction of what they cost one by one.
  private static func run(_ sql: String, in database: Database) throws {
    let connection = database.sqliteConnection
    let code = sqlite3_exec(connection, sql, nil, nil, nil)
    guard code == SQLITE_OK else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection))
      )
    }
    database.clearSchemaCache()
  }

  /// Refuses another program's database. The file's header cannot tell as long as that program's
  /// tables stand only in its log.
  private static func checkOwner(of database: Database, version: Int, path: String) throws {
    let mark = try Int32.fetchOne(database, sql: "PRAGMA application_id")
    if mark == DatabaseFile.applicationID { return }
    let isBlank = try Bool.fetchOne(
      database, sql: "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)")
    guard mark == 0, version == 0, isBlank == true else {
      throw DatabaseFile.foreignFile(path)
    }
  }
}
