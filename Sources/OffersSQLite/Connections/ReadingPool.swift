import GRDB
import GRDBSQLite
import OffersCore
import Synchronization

/// A pool of read-only connections, opened lazily: a program that only writes opens none, and one
/// that reads one thing after another opens one.
final class ReadingPool: Sendable {
  /// One connection, opened by its first read.
  private final class Slot: Sendable {
    /// The lock is held while the connection is opened.
    let queue: Mutex<DatabaseQueue?>
    /// Whether the connection has opened the file as immutable, so that it sees no later change.
    let isImmutable = Atomic(false)

    init(_ queue: DatabaseQueue? = nil) { self.queue = Mutex(queue) }
  }

  /// Ends the statements of a read whose task is cancelled, also those that begin afterwards: those of
  /// `RawStatement` do not ask GRDB whether they may run.
  private final class Interruption: Sendable {
    let isRequested = Atomic(false)

    /// The number of steps of SQLite's virtual machine after which a statement looks whether it is to
    /// end. https://sqlite.org/c3ref/progress_handler.html
    private static let stepCount: Int32 = 10_000

    func ending<Result>(
      statementsOf database: Database, _ body: () throws -> Result
    ) rethrows -> Result {
      let connection = database.sqliteConnection
      sqlite3_progress_handler(
        connection, Self.stepCount,
        { interruption in
          guard let interruption else { return 0 }
          return Unmanaged<Interruption>.fromOpaque(interruption).takeUnretainedValue()
            .isRequested.load(ordering: .relaxed) ? 1 : 0
        }, Unmanaged.passUnretained(self).toOpaque())
      // The handler must not outlive this object.
      defer { withExtendedLifetime(self) { sqlite3_progress_handler(connection, 0, nil, nil) } }
      return try body()
    }
  }

  private struct State {
    var slots: [Slot] = []
    /// The number of reads that run or wait on each slot.
    var userCounts: [Int] = []
    var isClosed = false
  }

  private let file: DatabaseFile
  private let limit: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - file: the database file to read.
  ///   - limit: the maximum number of connections, at least 1; further reads wait.
  init(_ file: DatabaseFile, limit: Int = 1) {
    self.file = file
    self.limit = limit
  }

  /// Reads on the connection of a writer, in turn with its writes: a database in memory has no other.
  init(sharing queue: DatabaseQueue, of file: DatabaseFile) {
    self.file = file
    limit = 1
    state.withLock {
      $0.slots = [Slot(queue)]
      // The writer always counts as one user, so that no read blocks its thread for a write.
      $0.userCounts = [1]
    }
  }

  /// Opens the first connection, to check that the file can be read.
  func open() async throws { try await withConnection { _ in } }

  /// Reads in a transaction on the least busy connection. If the task is cancelled, the running
  /// statement is interrupted.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await interruptibly { interruption in
      try await withConnection { queue in
        try await queue.read { try self.translating($0, interruption, body) }
      }
    }
  }

  /// Reads without a transaction on the least busy connection. If the task is cancelled, the running
  /// statement is interrupted.
  func readWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await interruptibly { interruption in
      try await withConnection { queue in
        try await queue.unsafeRead { try self.translating($0, interruption, body) }
      }
    }
  }

  private func interruptibly<Result: Sendable>(
    _ read: (Interruption) async throws -> Result
  ) async throws -> Result {
    let interruption = Interruption()
    return try await withTaskCancellationHandler {
      try await read(interruption)
    } onCancel: {
      interruption.isRequested.store(true, ordering: .relaxed)
    }
  }

  private func translating<Result>(
    _ database: Database, _ interruption: Interruption, _ body: (Database) throws -> Result
  ) throws -> Result {
    try interruption.ending(statementsOf: database) { try translating(database, body) }
  }

  /// Reads without a transaction on the calling thread, on an open connection that is not in use.
  ///
  /// - Returns: nil without such a connection; then nothing was read.
  func readAtOnce<Result>(_ body: (Database) throws -> Result) throws -> Result? {
    guard let (slot, queue) = try acquireIdle() else { return nil }
    defer { release(slot) }
    return try queue.unsafeRead { try translating($0, body) }
  }

  private func translating<Result>(
    _ database: Database, _ body: (Database) throws -> Result
  ) throws -> Result {
    try StorageFailure.translating(database, path: file.path) { try body(database) }
  }

  private func acquireIdle() throws -> (Slot, DatabaseQueue)? {
    try state.withLock { state in
      if state.isClosed { throw file.closedError }
      for index in state.slots.indices where state.userCounts[index] == 0 {
        let slot = state.slots[index]
        if isOutdated(slot) { return nil }
        guard let queue = slot.queue.withLockIfAvailable({ $0 }) ?? nil else { continue }
        state.userCounts[index] += 1
        return (slot, queue)
      }
      return nil
    }
  }

  /// Closes all connections. Blocks the thread until the reads under way have ended. Later reads
  /// throw.
  ///
  /// - Throws: the error of a connection that could not be closed; the others are closed then.
  func close() throws {
    let slots = state.withLock { state in
      state.isClosed = true
      return state.slots
    }
    let results = slots.map { slot in Result { try slot.queue.withLock { try $0?.close() } } }
    for result in results { try result.get() }
  }

  private func withConnection<Result>(
    _ body: (DatabaseQueue) async throws -> Result
  ) async throws -> Result {
    let slot = try acquire()
    defer { release(slot) }
    if !isOutdated(slot), let queue = slot.queue.withLockIfAvailable({ $0 }) ?? nil {
      return try await body(queue)
    }
    return try await body(BlockingWork.run { try self.open(slot) })
  }

  /// The least busy slot, or a new one if all are busy and the limit allows.
  private func acquire() throws -> Slot {
    try state.withLock { state in
      if state.isClosed { throw file.closedError }
      var best = state.userCounts.indices.min { state.userCounts[$0] < state.userCounts[$1] }
      if best.map({ state.userCounts[$0] > 0 }) ?? true, state.slots.count < max(1, limit) {
        state.slots.append(Slot())
        state.userCounts.append(0)
        best = state.slots.count - 1
      }
      let index = best ?? 0
      state.userCounts[index] += 1
      return state.slots[index]
    }
  }

  private func release(_ slot: Slot) {
    state.withLock { state in
      if let index = state.slots.firstIndex(where: { $0 === slot }) {
        state.userCounts[index] -= 1
      }
    }
  }

  /// Opens a slot's connection unless it is open. Blocks the thread.
  private func open(_ slot: Slot) throws -> DatabaseQueue {
    try slot.queue.withLock { queue in
      if let queue, !isOutdated(slot) { return queue }
      var (opened, isImmutable) = try connect()
      // A restoration has put the file aside while it was being opened.
      if opened.inDatabase(Self.hasMoved) { (opened, isImmutable) = try connect() }
      try opened.inDatabase {
        try DatabaseFile.checkVersion(Schema.version(of: $0), path: file.path)
      }
      slot.isImmutable.store(isImmutable, ordering: .relaxed)
      // Reads under way end on the connection that is replaced.
      queue = opened
      return opened
    }
  }

  /// Whether a slot's connection cannot see changes that others can make by now: the file was
  /// opened as immutable because the disk was full.
  private func isOutdated(_ slot: Slot) -> Bool {
    slot.isImmutable.load(ordering: .relaxed) && file.pathForReading == file.path
  }

  private func connect() throws -> (DatabaseQueue, isImmutable: Bool) {
    func open(_ path: String) throws -> DatabaseQueue {
      try DatabaseQueue(path: path, configuration: .offers(isReadOnly: true))
    }
    let path = file.pathForReading
    do {
      return (try open(path), path != file.path)
    } catch let error as DatabaseError
      where file.isReadableWithoutWriting(after: error.extendedResultCode)
    {
      return (try open(file.immutablePath), true)
    }
  }

  /// Whether the file of a connection is no longer at its path.
  private static func hasMoved(_ database: Database) -> Bool {
    var hasMoved: Int32 = 0
    sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }
}
