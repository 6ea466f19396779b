import GRDB
import GRDBSQLite
import OffersCore
import Synchronization

/// The connection that writes, and what it takes turns by.
final class WritingConnection: Sendable {
  private let queue: DatabaseQueue
  private let writeGuard: WriteGuard
  private let file: DatabaseFile
  private let identity: DatabaseFile.Identity?
  /// Whether a commit waits for the disk at present. Changed by who has the queue alone.
  private let isSynchronous = Atomic(true)
  /// How many have the queue or wait for it.
  private let userCount = Atomic(0)
  private let log = LogSize()

  /// Opens the file, turns its log on and migrates it if need be, all in turn: opening may write. A new
  /// database is made so, too: whoever opens it meanwhile finds none, or a complete one.
  ///
  /// - Parameter header: what the file was found to be.
  init(_ file: DatabaseFile, _ header: DatabaseFile.Header, _ writeGuard: WriteGuard) throws {
    self.file = file
    self.writeGuard = writeGuard
    queue = try writeGuard.hold {
      let queue = try DatabaseQueue(path: file.path, configuration: .offers(isReadOnly: false))
      try queue.inDatabase { database in
        if header == .ours(version: Schema.version, isReady: true) {
          return try DatabaseFile.checkVersion(Schema.version(of: database), path: file.path)
        }
        // Another process may have been faster: then there is nothing left to migrate.
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        try Schema.migrate(database, path: file.path)
        // The header of the file itself says from here on what it is.
        Self.moveLog(database)
      }
      return queue
    }
    identity = file.identity
    queue.inDatabase { log.watch($0) }
  }

  /// Writes in one immediate transaction under the write guard, and moves the log into the file.
  ///
  /// - Parameter waitSeconds: how long to wait for other processes.
  func write<Result: Sendable>(
    _ mode: WriteMode, waitSeconds: Double,
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    if mode == .image, let result = try writeImageAtOnce(body) { return result }
    return try await inTurn(waitSeconds: waitSeconds) { try self.perform(mode, on: $0, body) }
  }

  /// Writes on the calling thread where nobody else writes: changing threads twice takes as long as
  /// writing an image down. Where the log has to be moved, which waits for the disk, another thread
  /// does that.
  ///
  /// - Returns: nil when somebody else writes. Nothing was written then.
  private func writeImageAtOnce<Result>(_ body: (Database) throws -> Result) throws -> Result? {
    let (isFree, _) = userCount.compareExchange(
      expected: 0, desired: 1, ordering: .sequentiallyConsistent)
    guard isFree else { return nil }
    defer { userCount.subtract(1, ordering: .sequentiallyConsistent) }
    // The queue first: the guard keeps out other processes, and not who has the queue in this one.
    let result = try queue.writeWithoutTransaction { database in
      try writeGuard.holdIfFree {
        try file.checkIdentity(identity)
        try setSynchronous(false, database)
        return try Self.transact(database, body)
      }
    }
    if log.bytes > WriteMode.image.logBytes {
      later { self.moveLog(after: .image, $0) }
    }
    return result
  }

  /// Writes behind the writes that wait already, without waiting for it. A failure is not told.
  func writeLater(_ mode: WriteMode, _ body: @escaping @Sendable (Database) throws -> Void) {
    later { try self.perform(mode, on: $0, body) }
  }

  /// Waits for what was handed to `writeLater`.
  func finishLaterWrites() async throws {
    try await queue.writeWithoutTransaction { _ in }
  }

  private func later(_ body: @escaping @Sendable (Database) throws -> Void) {
    userCount.add(1, ordering: .sequentiallyConsistent)
    queue.asyncWriteWithoutTransaction { database in
      defer { self.userCount.subtract(1, ordering: .sequentiallyConsistent) }
      // Who asked gave up hearing of it.
      try? self.writeGuard.hold { try body(database) }
    }
  }

  /// Does something under the write guard when the queue is free.
  private func inTurn<Result: Sendable>(
    waitSeconds: Double = WriteGuard.waitSeconds,
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    userCount.add(1, ordering: .sequentiallyConsistent)
    defer { userCount.subtract(1, ordering: .sequentiallyConsistent) }
    return try await queue.writeWithoutTransaction { database in
      try self.writeGuard.hold(waitSeconds: waitSeconds) { try body(database) }
    }
  }

  private func perform<Result>(
    _ mode: WriteMode, on database: Database, _ body: (Database) throws -> Result
  ) throws -> Result {
    try file.checkIdentity(identity)
    try setSynchronous(mode.isSynchronous, database)
    // The pragma does nothing within a transaction.
    if !mode.checksForeignKeys { try database.execute(sql: "PRAGMA foreign_keys = OFF") }
    defer {
      if !mode.checksForeignKeys {
        _ = sqlite3_exec(database.sqliteConnection, "PRAGMA foreign_keys = ON", nil, nil, nil)
      }
    }
    let result =
      mode.isBrief
      ? try Self.transact(database, body) : try Self.transact(database, .commit, body)
    moveLog(after: mode, database)
    return result
  }

  /// An immediate transaction, and how it ends when nothing is thrown.
  private static func transact<Result>(
    _ database: Database, _ end: Database.TransactionCompletion,
    _ body: (Database) throws -> Result
  ) throws -> Result {
    var result: Result?
    try database.inTransaction(.immediate) {
      result = try body(database)
      return end
    }
    guard let result else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
    return result
  }

  /// A transaction by statements that are kept: reading GRDB's own anew each time takes a tenth of
  /// what a picture takes.
  private static func transact<Result>(
    _ database: Database, _ body: (Database) throws -> Result
  ) throws -> Result {
    try RawStatement(cached: "BEGIN IMMEDIATE", database).run()
    do {
      let result = try body(database)
      try RawStatement(cached: "COMMIT", database).run()
      return result
    } catch {
      // GRDB's own way back is not interrupted when a task is cancelled, and does nothing where SQLite
      // went back by itself, because the disk is full.
      try? database.rollback()
      throw error
    }
  }

  /// Moves the log into the file when it is large enough. The caller holds the guard.
  private func moveLog(after mode: WriteMode, _ database: Database) {
    if log.bytes <= mode.logBytes, mode.logBytes > 0 { return }
    // Images come by the dozen: their log is written over, not made anew.
    Self.moveLog(database, mode == .image ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE)
  }

  /// Tries a write: what the body writes is taken back.
  func writeTrial<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await inTurn { try Self.transact($0, .rollback, body) }
  }

  /// The same on the calling thread, unless somebody else writes; nil then.
  func writeTrialIfFree<Result>(_ body: (Database) throws -> Result) throws -> Result? {
    userCount.add(1, ordering: .sequentiallyConsistent)
    defer { userCount.subtract(1, ordering: .sequentiallyConsistent) }
    return try queue.writeWithoutTransaction { database in
      try writeGuard.holdIfFree { try Self.transact(database, .rollback, body) }
    }
  }

  /// Rewrites the file without its free pages when more than a share of it is free.
  ///
  /// - Returns: whether it did.
  func compact(whenFreeAbove share: Double) async throws -> Bool {
    try await inTurn { database in
      let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
      let all = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      guard Double(free) > share * Double(all) else { return false }
      try self.setSynchronous(true, database)
      try database.execute(sql: "VACUUM")
      Self.moveLog(database)
      return true
    }
  }

  /// Says whether the next commit waits for the disk. It stays so until somebody says otherwise:
  /// one picture after another need not say it each time.
  private func setSynchronous(_ isSynchronous: Bool, _ database: Database) throws {
    if self.isSynchronous.load(ordering: .relaxed) == isSynchronous { return }
    try database.execute(sql: "PRAGMA synchronous = \(isSynchronous ? "FULL" : "NORMAL")")
    self.isSynchronous.store(isSynchronous, ordering: .relaxed)
  }

  /// Moves the log into the file, and empties it, unless a reader still needs it: then the next
  /// write does. The caller holds the guard.
  private static func moveLog(
    _ database: Database, _ way: Int32 = SQLITE_CHECKPOINT_TRUNCATE
  ) {
    let connection = database.sqliteConnection
    // A reader is not waited for.
    sqlite3_busy_timeout(connection, 0)
    // What fails here stays safe in the log.
    _ = sqlite3_wal_checkpoint_v2(connection, nil, way, nil, nil)
    sqlite3_busy_timeout(connection, Int32(Configuration.busySeconds * 1000))
  }
}
