import GRDB
import OffersCore
import SQLiteMigrations

/// Brings a database to the schema this program works with.
enum Schema {
  static let version = SQLiteMigrations.currentVersion

  /// The version of an open database. Asked for by hand: GRDB's own way costs every
  /// process more when it starts.
  static func version(of database: Database) throws -> Int {
    let statement = try RawStatement(database, "PRAGMA user_version")
    defer { statement.reset() }
    return try statement.step() ? Int(statement.number(0)) : 0
  }

  /// Runs the migrations that are missing, with their number and the file's mark in one transaction.
  /// The caller holds the write guard.
  static func migrate(_ database: Database, path: String) throws {
    // Off where tables are made and dropped; the pragma does nothing within a transaction.
    try database.execute(sql: "PRAGMA foreign_keys = OFF")
    try database.inTransaction(.immediate) {
      let current = try version(of: database)
      try DatabaseFile.checkVersion(current, path: path)
      try checkOwner(database, version: current, path: path)
      try database.execute(sql: steps(after: current))
      return .commit
    }
    try database.execute(sql: "PRAGMA foreign_keys = ON")
  }

  /// The migrations that a version lacks, and the marks of a file that has them.
  private static func steps(after current: Int) -> String {
    SQLiteMigrations.all.filter { $0.number > current }.reduce(into: "") { $0 += $1.sql + ";\n" }
      + """
      PRAGMA user_version = \(version);
      PRAGMA application_id = \(DatabaseFile.applicationID);

      """
  }

  /// Refuses another program's database. The file's header cannot tell as long as that program's
  /// tables stand only in its log.
  private static func checkOwner(_ database: Database, version: Int, path: String) throws {
    let mark = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    if mark == DatabaseFile.applicationID { return }
    let isEmpty = try Bool.fetchOne(
      database, sql: "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)")
    guard mark == 0, version == 0, isEmpty == true else { throw DatabaseFile.foreignFile(path) }
  }
}
