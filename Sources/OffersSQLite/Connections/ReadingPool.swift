import GRDB
import GRDBSQLite
import OffersCore
import OffersPlatform
import Synchronization

/// The reads of a database. On a file they run on GRDB's pool of read-only connections, which the first read
/// opens: a program that only writes opens none. In memory they take turns with the writes.
///
/// A read whose task is cancelled ends, its running statement included. All reads run on threads of GRDB: the
/// calling one may be that of an app's main actor.
final class ReadingPool: Sendable {
  private struct Connections {
    /// The connection that GRDB counts as the writer of a read-only pool serves no reads. It has
    /// `PRAGMA data_version`.
    let pool: any DatabaseWriter
    let identity: FileStatus.Identity?
    /// Whether the file was opened as immutable, so that the connections see no later change.
    let isImmutable: Bool
    /// The number of times the file was opened. Each connection counts commits from the same number.
    let openingNumber: Int64
  }

  private let file: DatabaseFile
  private let limit: Int
  private let connections: Mutex<Connections?>
  /// Held while the connections are opened or closed.
  private let opening = Mutex(())

  /// - Parameters:
  ///   - file: the database file to read.
  ///   - limit: the maximum number of concurrent reads, at least 1; further reads wait.
  init(_ file: DatabaseFile, limit: Int) {
    self.file = file
    self.limit = max(1, limit)
    connections = Mutex(nil)
  }

  /// Reads on the connection of a writer, in turn with its writes: a database in memory has no other.
  init(sharing queue: DatabaseQueue, of file: DatabaseFile) {
    self.file = file
    limit = 0
    connections = Mutex(
      Connections(pool: queue, identity: nil, isImmutable: false, openingNumber: 1))
  }

  /// Reads.
  ///
  /// - Parameter inTransaction: whether the queries of `body` see one state of the data. In a transaction, a
  ///   damaged page cannot be got over: even its end fails.
  func read<Result: Sendable>(
    inTransaction: Bool, _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    let pool = try await connect().pool
    let body = { @Sendable [file] database in
      try StorageFailure.translating(database, path: file.path) { try body(database) }
    }
    return inTransaction ? try await pool.read(body) : try await pool.unsafeRead(body)
  }

  /// Closes all connections. Blocks the thread until the reads under way have ended. There must be no later
  /// ones.
  func close() throws {
    try opening.withLock { _ in try connections.withLock(\.self)?.pool.close() }
  }

  /// The open connections; nil if there are none, and if they cannot see changes that others can make by
  /// now: the file was opened as immutable because the disk was full.
  private var current: Connections? {
    connections.withLock(\.self).flatMap {
      $0.isImmutable && file.pathForReading == file.path ? nil : $0
    }
  }

  private func connect() async throws -> Connections {
    if let current { return current }
    return try await OwnThread.run { try self.opening.withLock { _ in try self.open() } }
  }

  /// Opens the connections unless they are open. Blocks the thread.
  private func open() throws -> Connections {
    if let current { return current }
    var (pool, isImmutable) = try makePool()
    // A restoration has put the file aside while it was being opened.
    if pool.writeWithoutTransaction(Self.hasMoved) { (pool, isImmutable) = try makePool() }
    // The reading of `data_version` fails instead of waiting.
    pool.writeWithoutTransaction { _ = sqlite3_busy_timeout($0.sqliteConnection, 0) }
    let (opened, immutable) = (pool, isImmutable)
    return connections.withLock { connections in
      let new = Connections(
        pool: opened, identity: file.identity, isImmutable: immutable,
        openingNumber: (connections?.openingNumber ?? 0) + 1)
      // Reads under way end on the connections that are replaced.
      connections = new
      return new
    }
  }

  private func makePool() throws -> (DatabasePool, isImmutable: Bool) {
    var configuration = Configuration.offers(isReadOnly: true)
    configuration.maximumReaderCount = limit
    configuration.prepareDatabase { [file] in
      // GRDB lets the readers of a pool wait for 10 seconds only.
      _ = sqlite3_busy_timeout($0.sqliteConnection, Int32(Configuration.busySeconds * 1000))
      try DatabaseFile.checkVersion(SQLiteSchema.version(of: $0), path: file.path)
    }
    let path = file.pathForReading
    do {
      return (try DatabasePool(path: path, configuration: configuration), path != file.path)
    } catch let error as DatabaseError
      where file.isReadableWithoutWriting(after: error.extendedResultCode)
    {
      return (try DatabasePool(path: file.immutablePath, configuration: configuration), true)
    }
  }

  /// Whether the file of a connection is no longer at its path.
  private static func hasMoved(_ database: Database) -> Bool {
    var hasMoved: Int32 = 0
    sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }
}

/// Detects commits: a server asks before each response, on any number of threads.
extension ReadingPool {
  /// A number that differs from the last result if another connection has committed since then, of this
  /// or another process. It waits neither for long reads nor for writers, but fails instead.
  /// https://sqlite.org/pragma.html#pragma_data_version
  ///
  /// - Throws: `DatabaseError`; `OffersError` if the file was replaced or removed.
  func fetchVersion() async throws -> Int64 { try version(on: await connect()) }

  /// The number of `fetchVersion` within microseconds; nil if the connections must be opened first.
  func fetchVersionIfOpen() throws -> Int64? { try current.map(version) }

  private func version(on connections: Connections) throws -> Int64 {
    if let memory = file.memory { return memory.bell.count }
    try file.checkIdentity(connections.identity)
    let number = try connections.pool.writeWithoutTransaction {
      try Int64.fetchOne($0.cachedStatement(sql: "PRAGMA data_version")) ?? 0
    }
    return connections.openingNumber << 32 | number & 0xFFFF_FFFF
  }
}
