import Dispatch
import GRDB
import OffersCore
import OffersStore
import Synchronization

/// The engine for one SQLite file, or for memory.
///
/// A read never changes the file. Writers take turns by a file lock. The file is readable by its owner only. Beside
/// it are SQLite's `-wal` and `-shm` files and the `-lock` file that holds the locks of writers and syncs.
package final class SQLiteEngine: Sendable {
  /// The file's path; `:memory:` for a database in memory.
  let path: String
  let file: DatabaseFile
  let writer: WritingConnection?
  /// The reads. It detects commits of any process, too.
  let reader: ReadingPool
  /// The operations that run or wait.
  private let operations = DispatchGroup()
  private let isClosed = Atomic(false)

  init(path: String, file: DatabaseFile, reader: ReadingPool, writer: WritingConnection?) {
    self.path = path
    self.file = file
    self.reader = reader
    self.writer = writer
  }

  /// Opens a database; see `OffersDatabase.open(path:access:readerCount:proposesFeed:definitions:)`.
  ///
  /// - Throws: `OffersError`: `invalidRequest` if `path` is empty, a URL or `:memory:`, `notFound` if
  ///   the access is read-only and the file does not exist, `newerDatabase` if a newer program wrote
  ///   the file, `storageFailed` if the file belongs to another program, is damaged, or access is
  ///   denied, or if the loaded SQLite is too old, `locked` if a restoration was interrupted and
  ///   another program has the old file open. The file is then untouched. `CancellationError` if the
  ///   task is cancelled while it waits; nothing is then created or changed.
  static func open(
    path: String, access: OffersDatabase.Access, readerCount: Int = 4, proposesFeed: Bool = true
  ) async throws -> SQLiteEngine {
    try check(path: path)
    try SQLiteLibrary.check()
    try Task.checkCancellation()
    let begun = ContinuousClock.now
    do {
      let (file, header) = try await find(path)
      if access == .readWrite {
        let writer = try await WritingConnection.open(file, header, proposesFeed: proposesFeed)
        let reader = ReadingPool(writer.file, limit: readerCount)
        return SQLiteEngine(path: path, file: writer.file, reader: reader, writer: writer)
      }
      try await prepareForReading(file, header)
      let reader = ReadingPool(file, limit: readerCount)
      try await reader.read(inTransaction: false) {
        try StoredNameCheck.check(in: $0, path: file.path)
      }
      return SQLiteEngine(path: path, file: file, reader: reader, writer: nil)
    } catch {
      throw StorageFailure.translate(error, path: path, since: begun)
    }
  }

  /// Finds the file of a path, once an interrupted restoration of it is completed.
  static func find(
    _ path: String
  ) async throws -> (file: DatabaseFile, header: DatabaseFile.Header) {
    let replacement = FileReplacement(file: DatabaseFile(path: DatabaseFile.resolve(path)))
    if !replacement.isPending {
      let found = try await OwnThread.run { try DatabaseFile.find(path) }
      if found.header != .missing { return found }
      // A restoration under way may just have put the old file aside, or the new one in place.
      if !replacement.isPending {
        return try await OwnThread.run { try DatabaseFile.find(path) }
      }
    }
    let writeGuard = try await OwnThread.run {
      try WriteGuard(replacement.file)
    }
    return try await writeGuard.holdWithoutBlocking {
      try replacement.complete()
      return try DatabaseFile.find(path)
    }
  }

  /// Refuses a missing file and migrates one with an older schema.
  private static func prepareForReading(
    _ file: DatabaseFile, _ header: DatabaseFile.Header
  ) async throws {
    switch header {
    case .ours(version: SQLiteSchema.version, isReady: true): break
    case .missing, .empty, .blank: throw missing(at: file.path)
    case .ours, .foreign: _ = try await WritingConnection.open(file, header)
    }
  }

  package func close() async throws {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    do {
      try await OwnThread.run { [self] in
        operations.wait()
        let closed = Result { try reader.close() }
        try writer?.close()
        try closed.get()
      }
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// The error for a path with no database, or with an empty file that was never set up.
  package static func missing(at path: String) -> OffersError {
    OffersError(
      .notFound, "There is no database yet at \(path).",
      hint: Hint("Make it with a sync.", command: "offers sync"))
  }

  /// Refuses an empty path, `:memory:`, which would name a file and not a database in memory, and a
  /// URL, or a part of one with a password: taken as a path, it would name a file. A name such as
  /// `file:offers.sqlite` is accepted as a path. SQLite does not take it for a URI, because the file
  /// is opened by its full path.
  ///
  /// The message does not repeat the text, because a URL may contain a password.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  package static func check(path: String) throws {
    let problem: String
    if path.isEmpty {
      problem = "The path of the database is empty."
    } else if path.hasSuffix(DatabaseFile.memoryPath) {
      problem = "The database is named :memory:, but only a file can be opened by its path."
    } else if path.utf8.firstRange(of: "://".utf8) != nil {
      problem = "The database is given as a URL (it has ://). Only the path of a file is accepted."
    } else if path.utf8.firstRange(of: "password=".utf8) != nil {
      problem = "The database is given with a password. Only the path of a file is accepted."
    } else {
      return
    }
    throw OffersError(
      .invalidRequest, problem, hint: .chooseDatabase("Give the path of a file."))
  }

  /// Refuses a closed database.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  func checkOpen() throws {
    if isClosed.load(ordering: .sequentiallyConsistent) { throw file.closedError }
  }

  /// Runs queries on a connection that only reads.
  ///
  /// - Parameter inTransaction: whether the queries of `body` see one state of the data; false for a single
  ///   query, and for files that may be damaged.
  func read<Result: Sendable>(
    inTransaction: Bool = true, _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await holdingOpen { try await reader.read(inTransaction: inTransaction, body) }
  }

  /// Runs an operation on the connection that writes. If the database is open for reading only, that is
  /// refused.
  ///
  /// - Parameter always: whether a connection is opened for the operation in that case; a file that was
  ///   removed is not created again.
  func writing<Result: Sendable>(
    always: Bool = false, _ body: (WritingConnection) async throws -> Result
  ) async throws -> Result {
    try await holdingOpen {
      if let writer { return try await body(writer) }
      if !always { throw OffersError.readOnlyStore }
      return try await withOwnWriter(body)
    }
  }

  /// Runs an operation with a connection that is opened for it.
  private func withOwnWriter<Result: Sendable>(
    _ body: (WritingConnection) async throws -> Result
  ) async throws -> Result {
    let header = try await OwnThread.run { [file] in try DatabaseFile.find(file.path).header }
    guard case .ours = header else { throw Self.missing(at: file.path) }
    let opened = try await WritingConnection.open(file, header)
    do {
      let result = try await body(opened)
      try await OwnThread.run { try opened.close() }
      return result
    } catch {
      // The error of the write is the one to report.
      try? await OwnThread.run { try opened.close() }
      throw error
    }
  }

  /// Runs an operation, for which `close` waits, and translates its errors.
  private func holdingOpen<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    operations.enter()
    defer { operations.leave() }
    try checkOpen()
    let begun = ContinuousClock.now
    do {
      return try await body()
    } catch {
      throw StorageFailure.translate(error, path: path, since: begun)
    }
  }
}

extension SQLiteEngine: Engine {
  package var place: String { path }
  package var canWrite: Bool { writer != nil }
  package var temporaryFolder: String { file.temporaryFolder }
  package var maintenance: (any StoreMaintenance)? { file.memory == nil ? self : nil }
  package var software: StoreSoftware { Self.software }

  /// The loaded SQLite library.
  package static var software: StoreSoftware {
    StoreSoftware(
      key: "sqlite", name: "SQLite", version: SQLiteLibrary.version,
      remark: "writers take turns by a lock file", warning: SQLiteLibrary.resetBugWarning())
  }

  /// Opens a new database in memory.
  static func inMemory() async throws -> SQLiteEngine {
    try SQLiteLibrary.check()
    try Task.checkCancellation()
    do {
      let writer = try await OwnThread.run { try WritingConnection.openInMemory() }
      return SQLiteEngine(
        path: writer.file.path, file: writer.file, reader: writer.makeReader(), writer: writer)
    } catch {
      throw StorageFailure.translate(error, path: DatabaseFile.memoryPath)
    }
  }

  package func checkReadiness() async throws {
    // It fails if another file has taken the place of the open one.
    _ = try await fetchDataVersion()
    let version = try await read(inTransaction: false) { try SQLiteSchema.version(of: $0) }
    try DatabaseFile.checkVersion(version, path: path)
    guard version == SQLiteSchema.version else {
      throw OffersError(
        .storageFailed, "\(path) has an older schema, \(version), than this program.",
        hint: "Start the program again: it migrates the database.")
    }
  }

  package func prepareSearch() async throws {
    if try await read({ try SearchIndex.isCurrent(in: $0) }) { return }
    // A database that is open for reading must be searchable as well.
    try await writing(always: true) { writer in
      try await writer.write { database in
        // Another process may have rebuilt it meanwhile.
        if try !SearchIndex.isCurrent(in: database) { try SearchIndex.rebuild(in: database) }
      }
    }
  }

  /// The share of free pages above which the file is rewritten (VACUUM).
  static let freeShare = 0.25

  package func compactAfterRemoval() async throws {
    _ = try await writing { try await $0.compact(whenFreeAbove: Self.freeShare) }
  }
}

extension SQLiteEngine {
  package func transaction<Result: Sendable>(
    _ mode: TransactionMode, describe: @escaping @Sendable (Result) -> DataChanges?,
    _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    let body = { @Sendable (database: Database) in try body(SQLiteTransaction(database)) }
    func write(
      _ mode: WriteMode = .ordinary, always: Bool = false,
      waitSeconds: Double = WriteGuard.waitSeconds
    ) async throws -> Result {
      try await writing(always: always) { [reader] writer in
        // Without a version, the readers of commits are only told that there was one.
        try await writer.write(
          mode, waitSeconds: waitSeconds, version: { try? reader.fetchVersionIfOpen() },
          describe: describe, body)
      }
    }
    return switch mode {
    case .query: try await read(inTransaction: false, body)
    case .read, .export: try await read(body)
    case .write, .removal, .repeatableWrite, .repeatableUncountedWrite, .sync, .favorites:
      try await write()
    case .trial: try await writing { try await $0.writeTrial(body) }
    case .syncNote: try await write(.note)
    case .note: try await write(.note, waitSeconds: WriteGuard.noteWaitSeconds)
    case .noteOfReader:
      try await write(.note, always: true, waitSeconds: WriteGuard.noteWaitSeconds)
    case .image, .uncountedImage: try await write(.image)
    case .imageNote: try await write(.image, waitSeconds: WriteGuard.noteWaitSeconds)
    }
  }

  package func writeLater(_ body: @escaping @Sendable (any Transaction) throws -> Void) {
    if !isClosed.load(ordering: .sequentiallyConsistent) {
      writer?.writeLater(
        version: { [reader] in try? reader.fetchVersionIfOpen() },
        { try body(SQLiteTransaction($0)) })
    }
  }

  package func finishLaterWrites() async throws {
    try await writing { try await $0.finishLaterWrites() }
  }

  package func fetchDataVersion() async throws -> Int64 {
    try await holdingOpen { try await reader.fetchVersion() }
  }

  package func commits() -> AsyncStream<DataCommit> {
    (writer?.bell ?? CommitBell()).commits { try await self.fetchDataVersion() }
  }
}

extension SQLiteEngine {
  package func withSyncLocks<Result: Sendable>(
    on feeds: [String], waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try checkOpen()
    let lock = try file.makeLock()
    defer { lock.unlockAll() }
    let deadline = ContinuousClock.now + .wait(seconds: waitSeconds)
    for feed in feeds {
      guard try await lock.lock(byte: Self.lockByte(of: feed), until: deadline) else {
        throw OffersError.syncingElsewhere(feed)
      }
    }
    return try await body()
  }

  /// The byte of the lock file for a feed's sync lock, by a hash of its name; byte 0 is the write
  /// guard's.
  static func lockByte(of feed: String) -> Int64 {
    var hash = ContentHash(seed: 2)
    var feed = feed
    feed.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
    return 1 + Int64(hash.value >> 24)
  }
}
