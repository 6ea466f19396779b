import GRDB
import GRDBSQLite
import OffersCore
import Synchronization

/// The connection that writes, and what it takes turns by.
final class WritingConnection: Sendable {
  private let queue: DatabaseQueue
  private let writeGuard: WriteGuard
  private let file: DatabaseFile
  private let reader: ReadingConnection
  /// Whether a commit waits for the disk at present. Changed by who has the queue alone.
  private let isSynchronous = Atomic(true)

  /// Opens the file, migrates it if need be, and turns its log on, all in turn: opening may write.
  ///
  /// - Parameters:
  ///   - header: what the file was found to be.
  ///   - reader: the connection beside this one that may have to let go of the file.
  init(
    _ file: DatabaseFile, _ header: DatabaseFile.Header, _ writeGuard: WriteGuard,
    reader: ReadingConnection
  ) throws {
    self.file = file
    self.writeGuard = writeGuard
    self.reader = reader
    queue = try writeGuard.hold {
      let queue = try DatabaseQueue(path: file.path, configuration: .offers(isReadOnly: false))
      try queue.inDatabase { database in
        if case .ours(version: Schema.version, isReady: true) = header {
          return try DatabaseFile.checkVersion(Schema.version(of: database), path: file.path)
        }
        // Before the log is turned on: what stands in no log need not be moved into the file.
        try Schema.migrate(database, path: file.path)
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        Self.emptyLog(database)
      }
      return queue
    }
  }

  /// Reads what will be written about.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await queue.read(body)
  }

  /// Writes in one immediate transaction under the write guard, and moves the log into the file.
  func write<Result: Sendable>(
    _ mode: WriteMode, _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await queue.writeWithoutTransaction { try self.perform(mode, on: $0, body) }
  }

  /// Writes behind the writes that wait already, without waiting for it. A failure is not told.
  func writeLater(_ mode: WriteMode, _ body: @escaping @Sendable (Database) throws -> Void) {
    queue.asyncWriteWithoutTransaction {
      // The caller gave up hearing of it.
      try? self.perform(mode, on: $0, body)
    }
  }

  private func perform<Result>(
    _ mode: WriteMode, on database: Database, _ body: (Database) throws -> Result
  ) throws -> Result {
    try writeGuard.hold {
      defer { end(mode, database) }
      try begin(mode, database)
      var result: Result?
      try database.inTransaction(.immediate) {
        result = try body(database)
        return .commit
      }
      if mode.logBytes == 0 || file.logBytes > mode.logBytes { Self.emptyLog(database) }
      guard let result else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
      return result
    }
  }

  /// Tries a write: what the body writes is taken back.
  func writeTrial<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await queue.writeWithoutTransaction { database in
      try self.writeGuard.hold {
        var result: Result?
        try database.inTransaction(.immediate) {
          result = try body(database)
          return .rollback
        }
        guard let result else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
        return result
      }
    }
  }

  /// Rewrites the file without its free pages when more than a share of it is free.
  ///
  /// - Returns: whether it did.
  func compact(whenFreeAbove share: Double) async throws -> Bool {
    try await queue.writeWithoutTransaction { database in
      try self.writeGuard.hold {
        let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        let all = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        guard Double(free) > share * Double(all) else { return false }
        try self.setSynchronous(true, database)
        try database.execute(sql: "VACUUM")
        Self.emptyLog(database)
        return true
      }
    }
  }

  /// Prepares the connection for a write.
  ///
  /// Foreign keys are not checked row by row in an import: its rows get the same two, looked up in
  /// the same transaction. A database without offers is filled with a rollback journal instead of a
  /// log, at two thirds of the cost, because everything is then written once and not twice; there
  /// is nothing to read yet that could have to wait. If another process has the file open, SQLite
  /// refuses the change and the log is used.
  private func begin(_ mode: WriteMode, _ database: Database) throws {
    try setSynchronous(mode.isSynchronous, database)
    if mode.checksForeignKeys { return }
    try database.execute(sql: "PRAGMA foreign_keys = OFF")
    guard mode == .bulk,
      try Bool.fetchOne(database, sql: "SELECT NOT EXISTS (SELECT 1 FROM offer)") == true
    else { return }
    reader.close()
    Self.setJournal("DELETE", database)
  }

  private func end(_ mode: WriteMode, _ database: Database) {
    if mode == .bulk { Self.setJournal("WAL", database) }
    if mode.checksForeignKeys { return }
    _ = sqlite3_exec(database.sqliteConnection, "PRAGMA foreign_keys = ON", nil, nil, nil)
  }

  /// Says whether the next commit waits for the disk. It stays so until somebody says otherwise:
  /// one picture after another need not say it each time.
  private func setSynchronous(_ isSynchronous: Bool, _ database: Database) throws {
    if self.isSynchronous.load(ordering: .relaxed) == isSynchronous { return }
    try database.execute(sql: "PRAGMA synchronous = \(isSynchronous ? "FULL" : "NORMAL")")
    self.isSynchronous.store(isSynchronous, ordering: .relaxed)
  }

  /// Asks for another journal, without waiting. A refusal leaves the one there is; both are safe,
  /// and whoever opens the file next asks for the log again.
  private static func setJournal(_ mode: String, _ database: Database) {
    withoutWaiting(database) {
      _ = sqlite3_exec($0, "PRAGMA journal_mode = \(mode)", nil, nil, nil)
    }
  }

  /// Moves the log into the file and empties it, unless a reader still needs it: then the next
  /// write does. The caller holds the guard.
  private static func emptyLog(_ database: Database) {
    withoutWaiting(database) {
      // What fails here stays safe in the log.
      _ = sqlite3_wal_checkpoint_v2($0, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
  }

  private static func withoutWaiting(_ database: Database, _ body: (OpaquePointer?) -> Void) {
    let connection = database.sqliteConnection
    sqlite3_busy_timeout(connection, 0)
    body(connection)
    sqlite3_busy_timeout(connection, Int32(Configuration.busySeconds * 1000))
  }
}
