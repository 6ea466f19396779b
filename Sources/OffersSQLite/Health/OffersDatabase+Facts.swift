import Foundation
import GRDB
import OffersCore

/// How many rows of each kind a database holds.
package struct DatabaseCounts: Sendable {
  package let offers: Int
  package let favorites: Int
  package let changes: Int
  package let runs: Int
}

/// How large the parts of a database are, in bytes.
package struct DatabaseSizes: Sendable {
  package let file: Int
  package let log: Int
  /// Pages that hold nothing.
  package let free: Int
  package let images: Int
}

extension OffersDatabase {
  /// The version of the SQLite library in use, such as `3.40.1`.
  public static var sqliteVersion: String { SQLiteLibrary.version }

  /// How much there is of everything.
  package func countEverything() async throws -> DatabaseCounts {
    try await read { database in
      func count(_ table: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
      }
      return DatabaseCounts(
        offers: try count("offer"), favorites: try count("favorite"),
        changes: try ChangeTable.count(in: database), runs: try count("sync_run"))
    }
  }

  /// How large everything is.
  package func fetchSizes() async throws -> DatabaseSizes {
    try await read { [file] database in
      func number(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }
      return DatabaseSizes(
        file: file.bytes, log: file.logBytes,
        free: try number("PRAGMA freelist_count") * number("PRAGMA page_size"),
        images: try number("SELECT sum(length(bytes)) FROM image_cache"))
    }
  }

  /// How much room the disk of a database has, in bytes; nil when that is not known.
  package static func findFreeBytes(for path: String) -> Int? {
    var system = statvfs()
    guard statvfs(DatabaseFile(path: DatabaseFile.resolve(path)).folder, &system) == 0 else {
      return nil
    }
    return Int(clamping: UInt64(system.f_bavail) * UInt64(system.f_frsize))
  }

  /// The newest time that is noted of what happened last: of the last sync of a feed, or a star.
  package func findNewestTime() async throws -> Date? {
    try await read { database in
      try Int64.fetchOne(
        database,
        sql: """
          SELECT max(at) FROM (
            SELECT started_at AS at FROM sync_run
            WHERE run_id IN (SELECT max(run_id) FROM sync_run GROUP BY feed_key)
            UNION ALL SELECT created_at FROM favorite)
          """
      ).map(OfferTable.date)
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
