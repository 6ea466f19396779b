import Foundation
import GRDB
import OffersCore
import OffersPlatform
import OffersStore

extension OffersDatabase: StoreFacts {
  package func countEverything() async throws -> StoreCounts {
    try await read { [user] database in
      func count(_ table: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
      }
      return StoreCounts(
        offers: try count("offer"), favorites: try count("favorite WHERE user_key = \(user)"),
        changes: try ChangeTable.count(in: database), runs: try count("sync_run"))
    }
  }

  package func fetchHistorySize() async throws -> HistorySize {
    try await read { try HistorySize(in: $0) }
  }

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
      ).map(Date.init(storedSeconds:))
    }
  }

  package func countTimes(after time: Date) async throws -> LaterTimes {
    let seconds = time.storedSeconds
    return try await read { database in
      func find(_ table: String, _ column: String) throws -> (Int, Int64?) {
        let row = try Row.fetchOne(
          database,
          sql: "SELECT count(*), max(at) FROM (SELECT \(column) AS at FROM \(table)) WHERE at > ?",
          arguments: [seconds])
        return (row?[0] ?? 0, row?[1])
      }
      let runs = try find("sync_run", "started_at")
      let offers = try find(
        "offer", "max(first_seen_at, changed_at, coalesce(gone_at, changed_at))")
      let images = try find("image_cache", "fetched_at")
      return LaterTimes(
        runs: runs.0, offers: offers.0, images: images.0,
        latest: [runs.1, offers.1, images.1].compactMap(\.self).max().map(Date.init(storedSeconds:))
      )
    }
  }

  package func findUnconfirmedRun(at now: Date) async throws -> Date? {
    let seconds = now.storedSeconds
    guard case .none(let last) = try await read({ try ClockTrust.find(at: seconds, in: $0) }) else {
      return nil
    }
    return Date(storedSeconds: last)
  }
}

extension OffersDatabase {
  /// The version of the SQLite library in use, such as `3.40.1`.
  package static var sqliteVersion: String { SQLiteLibrary.version }

  /// The warning about the SQLite library in use, in one line; nil if there is nothing to say.
  package static var sqliteWarning: String? { SQLiteLibrary.resetBugWarning() }

  /// The sizes of file, log, free pages and images.
  package func fetchSizes() async throws -> StoreSizes {
    try await read { [file] database in
      func number(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }
      return StoreSizes(
        file: file.bytes, log: file.logBytes,
        free: try number("PRAGMA freelist_count").multiplied(clamped: number("PRAGMA page_size")),
        images: try number("SELECT sum(length(bytes)) FROM image_cache"))
    }
  }

  /// The free space on the disk of a database, in bytes; nil if unknown.
  package static func findFreeBytes(for path: String) -> Int? {
    // A folder that cannot be looked at is reported by the checks of the file.
    try? DiskSpace.freeBytes(of: DatabaseFile(path: DatabaseFile.resolve(path)).folder)
  }

  /// Whether a file exists at a path, whatever its contents, or will exist once a restoration is
  /// completed.
  package static func exists(at path: String) -> Bool {
    DatabaseFile(path: path).exists
      || FileReplacement(file: DatabaseFile(path: DatabaseFile.resolve(path))).isPending
  }

  /// The size of the file and its log, in bytes.
  package var sizeBytes: Int {
    file.bytes + file.logBytes
  }

  /// The size of a file and its log, in bytes.
  package static func sizeBytes(of path: String) -> Int {
    let file = DatabaseFile(path: DatabaseFile.resolve(path))
    return file.bytes + file.logBytes
  }

  /// The folder for temporary files: the database's folder, or the system's temporary folder if
  /// that one is missing or not writable.
  package static func temporaryFolder(for path: String) -> String {
    temporaryFolder(for: DatabaseFile(path: DatabaseFile.resolve(path)))
  }

  private static func temporaryFolder(for file: DatabaseFile) -> String {
    FileAccess.writing.isGranted(file.folder) ? file.folder : NSTemporaryDirectory()
  }

  package var temporaryFolder: String { Self.temporaryFolder(for: file) }
}
