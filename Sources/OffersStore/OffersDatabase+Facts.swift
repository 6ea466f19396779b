import Foundation
import GRDB
import GRDBSQLite

/// How many rows of each kind a database holds.
package struct DatabaseCounts: Sendable {
  package let offers: Int
  package let favorites: Int
  package let changes: Int
  package let runs: Int
}

extension OffersDatabase {
  /// The version of the SQLite library in use, such as `3.40.1`.
  public static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

  /// How much there is of everything.
  package func countEverythingBlocking() throws -> DatabaseCounts {
    try readBlocking { database in
      func count(_ table: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
      }
      return DatabaseCounts(
        offers: try count("offer"), favorites: try count("favorite"),
        changes: try count("change"), runs: try count("sync_run"))
    }
  }

  /// Whether there is a file at a path, whatever it holds.
  public static func exists(at path: String) -> Bool { DatabaseFile(path: path).exists }

  /// The size of the file and its log, in bytes.
  public var sizeBytes: Int {
    file.bytes + file.logBytes
  }

  /// The size of a file and its log, in bytes.
  package static func sizeBytes(of path: String) -> Int {
    let file = DatabaseFile(path: DatabaseFile.resolve(path))
    return file.bytes + file.logBytes
  }

  /// Where there is room for what does not fit in memory: the database's folder, which is on its
  /// disk, or where that may not be written or is not there yet, that of the system.
  package static func temporaryFolder(for path: String) -> String {
    let folder = DatabaseFile(path: DatabaseFile.resolve(path)).folder
    return access(folder, W_OK) == 0 ? folder : NSTemporaryDirectory()
  }

  package var temporaryFolder: String { Self.temporaryFolder(for: path) }
}
