import GRDB
import GRDBSQLite
import OffersCore
import OffersPlatform
import OffersStore

/// The only connection of an open database that writes. It holds the write guard around each write
/// transaction and its checkpoint.
final class WritingConnection: Sendable {
  private let queue: DatabaseQueue
  private let writeGuard: WriteGuard
  /// The file, with its links resolved.
  let file: DatabaseFile
  private let identity: FileStatus.Identity?
  /// Rings after each commit.
  let bell: CommitBell
  /// The parts of the schema that this program did not create, such as `the trigger forget_stars`.
  let foreignSchema: [String]

  /// Opens the file, switches it to WAL and migrates it if needed, all under the write guard,
  /// because opening may write. A new database is created in the same way, so another process finds
  /// either none or a complete one. The wait for other writers blocks no thread.
  ///
  /// - Parameters:
  ///   - file: the file to open, or to create if it is missing.
  ///   - header: the file's header, as it was read before the guard was acquired.
  ///   - proposesFeed: whether a new database is subscribed to `Feed.initialName`.
  /// - Throws: `CancellationError` if the task is cancelled while it waits. Nothing was written
  ///   then.
  static func open(
    _ file: DatabaseFile, _ header: DatabaseFile.Header, proposesFeed: Bool = true
  ) async throws -> WritingConnection {
    let writeGuard = try await OwnThread.run {
      if header == .missing { try file.makeFolder() }
      return try WriteGuard(file)
    }
    return try await writeGuard.holdWithoutBlocking {
      try FileReplacement(file: file).complete()
      // Another process, or another part of this one, may have created the file meanwhile. Opening
      // and closing it here would drop this process's locks on it.
      let isNew = try file.create()
      do {
        return try WritingConnection(
          DatabaseFile(path: DatabaseFile.resolve(file.path)), header, writeGuard, proposesFeed)
      } catch {
        if isNew { file.removeUnmade() }
        throw error
      }
    }
  }

  /// Opens a new database in memory: a copy of one that is set up once, because the migrations would
  /// take most of the time.
  static func openInMemory() throws -> WritingConnection {
    try openInMemory(.ours(version: SQLiteSchema.version, isReady: true), copying: template.get())
  }

  private static let template = Result { try openInMemory(.missing, copying: nil) }

  private static func openInMemory(
    _ header: DatabaseFile.Header, copying other: WritingConnection?
  ) throws -> WritingConnection {
    let file = DatabaseFile.inMemory()
    return try WritingConnection(file, header, WriteGuard(file), false, copying: other)
  }

  /// Reads on this connection, in turn with its writes.
  func makeReader() -> ReadingPool { ReadingPool(sharing: queue, of: file) }

  /// The caller holds the guard.
  private init(
    _ file: DatabaseFile, _ header: DatabaseFile.Header, _ writeGuard: WriteGuard,
    _ proposesFeed: Bool, copying other: WritingConnection? = nil
  ) throws {
    self.file = file
    self.writeGuard = writeGuard
    bell = file.memory?.bell ?? CommitBell()
    queue = try DatabaseQueue(path: file.path, configuration: .offers(isReadOnly: false))
    try other?.queue.backup(to: queue)
    foreignSchema = try queue.inDatabase { database in
      try StorageFailure.translating(database, path: file.path) {
        try Self.prepare(database, file, header, proposesFeed: proposesFeed)
        try StoredNameCheck.check(in: database, path: file.path)
        return try SchemaObject.foreign(in: database).map(\.description)
      }
    }
    identity = file.identity
  }

  /// Switches a file to WAL and migrates it, as far as its header does not say that it is ready.
  private static func prepare(
    _ database: Database, _ file: DatabaseFile, _ header: DatabaseFile.Header, proposesFeed: Bool
  ) throws {
    let version = try SQLiteSchema.version(of: database)
    if case .ours = header, version == 0 {
      throw OffersError(
        .storageFailed, "The database \(file.path) was emptied while it was being opened.",
        hint: "Restore a backup.")
    }
    if header == .ours(version: SQLiteSchema.version, isReady: true) {
      try DatabaseFile.checkVersion(version, path: file.path)
      // Another process may have restored an older file meanwhile.
      if version == SQLiteSchema.version { return }
    }
    // Another process may have migrated the file meanwhile; then `migrate` runs no step.
    try database.execute(sql: "PRAGMA journal_mode = WAL")
    try SQLiteSchema.migrate(database, path: file.path, proposesFeed: proposesFeed)
    // Checkpoint, so that the header of the main file identifies it from here on.
    checkpoint(database)
  }

  /// Closes the connection after the writes that were enqueued before. Blocks the thread until
  /// then.
  func close() throws { try queue.close() }

  /// Writes in one immediate transaction under the write guard, then checkpoints the log as far as
  /// the mode requires it. Waits at most `waitSeconds` for writers of other processes.
  ///
  /// - Parameters:
  ///   - version: reads the version of the data; nil if nobody reads versions.
  ///   - describe: called after the commit: what the write has changed, which the bell is told.
  func write<Result: Sendable>(
    _ mode: WriteMode = .ordinary, waitSeconds: Double = WriteGuard.waitSeconds,
    version: @escaping @Sendable () -> Int64? = { nil },
    describe: @escaping @Sendable (Result) -> DataChanges? = { _ in nil },
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await inTurn(waitSeconds: waitSeconds) {
      try self.perform(mode, on: $0, version, describe, body)
    }
  }

  /// Enqueues a write without waiting for it. An error is discarded, as is the write if another
  /// process writes for longer than `WriteGuard.noteWaitSeconds`.
  ///
  /// - Parameter version: as of `write`.
  func writeLater(
    version: @escaping @Sendable () -> Int64?,
    _ body: @escaping @Sendable (Database) throws -> Void
  ) {
    queue.asyncWriteWithoutTransaction { database in
      // No caller waits for the result. A lost note of uses costs nothing.
      try? self.writeGuard.hold(waitSeconds: WriteGuard.noteWaitSeconds) {
        try self.perform(.note, on: database, version, { DataChanges() }, body)
      }
    }
  }

  /// Waits for the writes enqueued by `writeLater`.
  func finishLaterWrites() async throws {
    try await queue.writeWithoutTransaction { _ in }
  }

  /// Runs a write and rolls it back.
  func writeTrial<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await inTurn { try self.transact($0, .rollback, body) }
  }

  /// Runs a write and rolls it back; returns nil if another process is writing.
  func writeTrialIfFree<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result? {
    try await queue.writeWithoutTransaction { database in
      try self.writeGuard.holdIfFree { try self.transact(database, .rollback, body) }
    }
  }

  /// Rewrites the file without its free pages (VACUUM) if their share is above `share`.
  ///
  /// - Returns: whether the file was rewritten.
  func compact(whenFreeAbove share: Double) async throws -> Bool {
    try await inTurn { database in
      let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
      let all = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      guard Double(free) > share * Double(all) else { return false }
      try database.execute(sql: "PRAGMA synchronous = FULL; VACUUM")
      Self.checkpoint(database)
      return true
    }
  }

  /// Runs `body` on the queue and under the write guard.
  private func inTurn<Result: Sendable>(
    waitSeconds: Double = WriteGuard.waitSeconds,
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await queue.writeWithoutTransaction { database in
      try StorageFailure.translating(database, path: self.file.path) {
        try self.writeGuard.hold(waitSeconds: waitSeconds) { try body(database) }
      }
    }
  }

  private func perform<Result>(
    _ mode: WriteMode, on database: Database, _ version: () -> Int64?,
    _ describe: (Result) -> DataChanges?, _ body: (Database) throws -> Result
  ) throws -> Result {
    try file.checkIdentity(identity)
    try database.execute(sql: "PRAGMA synchronous = \(mode.isSynchronous ? "FULL" : "NORMAL")")
    var before: Int64?
    let result = try transact(database, .commit) { database in
      // From here on nobody else can commit, not even a program that does not know the write guard.
      before = version()
      return try body(database)
    }
    if mode.logBytes == 0 || file.logBytes > mode.logBytes { Self.checkpoint(database) }
    // Under the write guard, which keeps away the commits of other processes. A trigger of somebody else may
    // have changed other data; a checkpoint may change the version, too.
    if foreignSchema.isEmpty, let changes = describe(result), let before, let after = version() {
      // A commit in memory is counted by the bell.
      let after = file.memory == nil ? after : after + 1
      bell.ring(KnownCommits.Element(before: before, after: after, changes: changes))
    } else {
      bell.ring()
    }
    return result
  }

  /// Runs an immediate transaction that ends with `end` if nothing is thrown. A commit that fails
  /// because of the disk may be in the log nevertheless.
  private func transact<Result>(
    _ database: Database, _ end: Database.TransactionCompletion,
    _ body: (Database) throws -> Result
  ) throws -> Result {
    var result: Result?
    let mayBeStored = { result != nil }
    try StorageFailure.translating(database, path: file.path, mayBeStored: mayBeStored) {
      try database.inTransaction(.immediate) {
        // A newer program may have migrated the file since it was opened.
        try DatabaseFile.checkVersion(SQLiteSchema.version(of: database), path: file.path)
        result = try body(database)
        return end
      }
    }
    guard let result else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
    return result
  }

  /// Checkpoints the log and truncates it, as far as no reader needs it; a later write then does
  /// the rest. The caller holds the guard.
  private static func checkpoint(_ database: Database) {
    let connection = database.sqliteConnection
    // Do not wait for readers.
    sqlite3_busy_timeout(connection, 0)
    // After an error the data is still safe in the log.
    _ = sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    sqlite3_busy_timeout(connection, Int32(Configuration.busySeconds * 1000))
  }
}

/// The durability of a write transaction.
enum WriteMode {
  case ordinary
  /// A run that changed no offer, a recent search, failed logins, or when a session was last seen.
  /// The commit does not wait for fsync, so a power cut may lose the last of these.
  case note
  /// An image, or the uses of images. The commit does not wait for fsync: a power cut may lose the
  /// last of these. Lost images can be fetched again.
  case image

  /// Whether the commit waits for fsync (`synchronous=FULL`).
  var isSynchronous: Bool { self != .note && self != .image }

  /// The size of the log above which a write is followed by a checkpoint, in bytes. 0 stands for a
  /// checkpoint after every write. The size is large for images, so that many of them share a
  /// checkpoint.
  var logBytes: Int {
    switch self {
    case .note: 256 << 10
    case .image: 4 << 20
    case .ordinary: 0
    }
  }
}

/// Excludes writers of other processes, so that one process at a time writes to a database.
///
/// The guard is held around every write transaction and every checkpoint. It prevents the WAL-reset
/// bug of SQLite before 3.51.3 (and 3.50.7, 3.44.6), in which a commit that races with another
/// process's checkpoint is lost although it was acknowledged. It also keeps writers from meeting
/// SQLITE_BUSY. Readers do not need it. https://sqlite.org/wal.html#walresetbug
struct WriteGuard: Sendable {
  private let lock: DatabaseLock
  private let file: DatabaseFile

  /// The maximum wait for other writers. A single write transaction takes seconds at most.
  static let waitSeconds = 120.0
  /// The maximum wait for other writers to record a finished search or the uses of images, which are
  /// not worth more.
  static let noteWaitSeconds = 2.0

  init(_ file: DatabaseFile) throws {
    self.file = file
    lock = try file.makeLock()
  }

  /// Runs `body` while no other process writes or checkpoints.
  func hold<Result>(
    waitSeconds: Double = waitSeconds, _ body: () throws -> Result
  ) throws -> Result {
    let begun = ContinuousClock.now
    guard try lock.lock(waitSeconds: waitSeconds) else { throw timeout(since: begun) }
    defer { lock.unlock() }
    return try body()
  }

  /// Runs `body` on a thread that may block, while no other process writes or checkpoints. The wait
  /// for other writers blocks no thread.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it waits. Once begun, `body` runs
  ///   to its end.
  func holdWithoutBlocking<Result: Sendable>(
    waitSeconds: Double = waitSeconds, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let begun = ContinuousClock.now
    let deadline = begun + .seconds(waitSeconds)
    guard try await lock.lock(byte: DatabaseLock.writeByte, until: deadline) else {
      throw timeout(since: begun)
    }
    defer { lock.unlock() }
    return try await OwnThread.run(body)
  }

  private func timeout(since begun: ContinuousClock.Instant) -> OffersError {
    let holder = LockHolder.find(on: file.lockPath)?.first { $0.byte == DatabaseLock.writeByte }
    return OffersError(
      .storageFailed, BlockingProcess.message(holder, path: file.path, since: begun),
      hint: BlockingProcess.hint(holder))
  }

  /// Runs `body` if no other process writes or checkpoints; returns nil otherwise.
  func holdIfFree<Result>(_ body: () throws -> Result) throws -> Result? {
    guard try lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return try body()
  }
}
