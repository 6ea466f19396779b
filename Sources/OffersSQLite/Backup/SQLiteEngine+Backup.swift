import GRDB
import GRDBSQLite
import OffersCore
import OffersStore

extension SQLiteEngine {
  /// Copies a consistent snapshot of the database into a file and checks the copy.
  ///
  /// The copy is made in one step within a read transaction, so no writer waits: others continue to
  /// write into the log, which is checkpointed after the copy. A copy in several steps might never
  /// end, because SQLite restarts it whenever another process writes.
  /// https://sqlite.org/backup.html
  ///
  /// - Parameter path: an empty file that no other process uses. When this returns, it holds the
  ///   complete copy, without a log beside it.
  /// - Throws: `OffersError` with `storageFailed` if the database is damaged or the disk is full.
  package func backUp(to path: String) async throws {
    do {
      let copy = try DatabaseQueue(path: path, configuration: Self.copyConfiguration)
      try await read { source in
        try copy.writeWithoutTransaction { try source.backup(to: $0) }
      }
      try copy.close()
    } catch let error as DatabaseError {
      throw StorageFailure.translate(error, path: path)
    }
    try await Self.checkBackup(path)
  }

  /// The configuration of the connection that writes a copy of a database.
  static var copyConfiguration: Configuration {
    var configuration = Configuration()
    configuration.label = "offers-backup"
    configuration.prepareDatabase { database in
      // An incomplete copy is discarded after a crash, so it needs neither journal nor fsync.
      try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    }
    return configuration
  }

  /// Refuses a copy that fails the integrity check.
  private static func checkBackup(_ path: String) async throws {
    do {
      let problem = try await OwnThread.run { try Integrity.findProblem(inCopy: path) }
      if let problem {
        throw OffersError(
          .storageFailed, "The database is damaged, so no copy was made.",
          hint: Hint("Check the database.", command: "offers doctor"), cause: problem)
      }
    } catch let error as DatabaseError {
      throw StorageFailure.translate(error, path: path)
    }
  }

  package func backupTarget(_ path: String) throws -> BackupTargetKind {
    let target = DatabaseFile(path: DatabaseFile.resolve(path))
    if target.isSameFile(as: file.path)
      || DatabaseFile.companions.contains(where: { target.isSameFile(as: file.path + $0) })
    {
      return .database
    }
    for ending in DatabaseFile.companions where target.path.hasSuffix(ending) {
      if DatabaseFile(path: String(target.path.dropLast(ending.count))).exists { return .database }
    }
    if DatabaseFile(path: target.path + "-wal").bytes > 0
      || DatabaseFile(path: target.path + "-journal").bytes > 0
    {
      return .logged
    }
    let hasLock = DatabaseFile(path: target.lockPath).exists
    let header: DatabaseFile.Header
    do {
      header = try target.findHeader()
    } catch {
      if error.isOfAnother { return .other }
      throw target.unreadable(error)
    }
    switch header {
    case .missing: return .free
    // A process may be creating its database.
    case .empty: return hasLock ? .lockable : .free
    case .ours: return hasLock ? .lockable : .backup
    case .blank, .foreign: return .other
    }
  }
}
