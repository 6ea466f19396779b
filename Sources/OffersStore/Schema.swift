import GRDB
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
      for migration in Migrations.all where migration.number > current {
        try database.execute(sql: migration.sql)
        try database.execute(sql: "PRAGMA user_version = \(migration.number)")
      }
      try database.execute(sql: "PRAGMA application_id = \(DatabaseFile.applicationID)")
      return .commit
    }
  }
}
