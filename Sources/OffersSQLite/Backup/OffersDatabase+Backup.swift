import GRDB
import GRDBSQLite
import OffersCore

extension OffersDatabase {
  /// Copies the database as it stands at one moment into a file, and looks the copy through.
  ///
  /// It is read as one state without any lock that a writer would wait for: others go on writing,
  /// into the log, which is moved into the file once the copy is made. In steps it would never end,
  /// for SQLite begins anew whenever another process writes.
  /// https://sqlite.org/backup.html
  ///
  /// - Parameter path: an empty file, which nobody else knows. It holds the copy when this returns,
  ///   whole and without a log beside it.
  /// - Throws: `OffersError` with `storageFailed`: the database is damaged, or the disk is full.
  package func backUp(to path: String) async throws {
    do {
      var configuration = Configuration()
      configuration.label = "offers backup"
      configuration.prepareDatabase { database in
        // Until it is complete and has its name, nobody needs it back after a crash.
        try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      }
      let copy = try DatabaseQueue(path: path, configuration: configuration)
      try await read { source in
        try copy.writeWithoutTransaction { try source.backup(to: $0) }
      }
      try copy.close()
    } catch let error as DatabaseError {
      throw StorageFailure.translate(error, path: path)
    }
    try await Self.checkBackup(path)
  }

  /// Refuses a copy that is not sound. It is opened as a file that nobody writes, so that nothing
  /// comes to stand beside it.
  private static func checkBackup(_ path: String) async throws {
    var configuration = Configuration()
    configuration.readonly = true
    do {
      let copy = try DatabaseQueue(
        path: DatabaseFile(path: path).immutablePath, configuration: configuration)
      let problems = try await copy.unsafeRead { try Integrity.problems(in: $0) }
      try copy.close()
      guard problems.isEmpty else {
        throw OffersError(
          .storageFailed, "The database is damaged, and so would its copy be: none was made.",
          hint: "See what can be done: offers doctor", cause: problems.joined(separator: "\n"))
      }
    } catch let error as DatabaseError {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// What stands where a backup should go.
  package enum BackupTarget {
    case free
    /// A database of ours that nobody is using, such as an older backup.
    case backup
    /// The database itself, or a file that belongs to a database.
    case database
    /// A database whose newest writes stand in a log, which would be taken for the copy's.
    case logged
    /// Anything else, and a database that people work with.
    case other
  }

  /// Tells what stands at a path.
  package func backupTarget(_ path: String) throws -> BackupTarget {
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
    if DatabaseFile(path: target.lockPath).exists { return .other }
    switch try? target.readHeader() {
    case .missing, .empty: return .free
    case .ours: return .backup
    // What cannot be read is none of ours, either.
    default: return .other
    }
  }
}
