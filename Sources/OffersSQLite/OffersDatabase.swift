import GRDB
import OffersCore
import OffersStore
import Synchronization

/// The offers of all feeds in one SQLite file, or in memory: see `inMemory(configuration:)`.
///
/// Guarantees:
/// - Each read sees one consistent state, waits for no writer, and never changes the file.
/// - A write is all or nothing. Once it returns it survives a crash and a power cut
///   (`synchronous=FULL`), except for cached images, runs that changed no offer, recent searches,
///   failed logins and when a session was last seen: a power cut may lose the last of these.
/// - Any number of processes may use the file at the same time; writers take turns by a file lock.
/// - The file is readable by its owner only. Beside it are SQLite's `-wal` and `-shm` files and the
///   `-lock` file that holds the locks of writers and syncs.
public final class OffersDatabase: Sendable {
  /// The operations that an open database allows.
  ///
  /// For reading, the file must exist; one with an older schema is migrated first. On a full disk, a
  /// copy in memory is migrated instead, which does not show later changes. For writing, the file and
  /// its folder are created if they are missing.
  public typealias Access = StoreAccess

  /// The file's path; `:memory:` for a database in memory.
  public let path: String
  let file: DatabaseFile
  /// The definitions of feeds: a feed that has one has no offers before its first sync, instead of
  /// being unknown. Nil if the program that opened the database handles unknown feeds itself.
  package let definitions: (any FeedDefinitions)?
  /// The user whose favorites, searches, read marks and notices this is about; see `record(of:)`.
  package let user: User.ID
  /// The database that this one shares its connections with; nil for the one that opened them.
  private let root: OffersDatabase?
  let writer: WritingConnection?
  /// Image uses that have not been written to the database yet.
  package let imageUses: PendingImageUses
  /// The reads. It detects commits of any process, too.
  let reader: ReadingPool
  /// The work of `close`, once it has begun.
  private let closing: Closing

  private final class Closing: Sendable {
    let task = Mutex<Task<Void, any Error>?>(nil)
  }

  init(
    path: String, file: DatabaseFile, reader: ReadingPool, writer: WritingConnection?,
    definitions: (any FeedDefinitions)? = nil
  ) {
    self.path = path
    self.definitions = definitions
    self.file = file
    self.reader = reader
    self.writer = writer
    user = User.ownerID
    root = nil
    imageUses = PendingImageUses()
    closing = Closing()
  }

  /// The same open database for another user. It keeps the other one, so that the image uses are
  /// written when the last of them is released.
  init(sharing other: OffersDatabase, user: User.ID) {
    root = other.root ?? other
    path = other.path
    file = other.file
    definitions = other.definitions
    self.user = user
    writer = other.writer
    imageUses = other.imageUses
    reader = other.reader
    closing = other.closing
  }

  /// Opens a database.
  ///
  /// Opening for writing waits up to 120 seconds for other writers, such as an import; opening for
  /// reading waits for nobody, unless the file must be migrated. The calling thread is not blocked,
  /// nor is a thread of the concurrency pool.
  ///
  /// - Parameters:
  ///   - path: the file. A URL is refused.
  ///   - access: with `readWrite`, a missing file and its folder are created.
  ///   - readerCount: the maximum number of concurrent reads, each on a connection that is opened
  ///     when it is first needed. Further reads wait.
  ///   - proposesFeed: whether a new database is subscribed to `Feed.initialName`, with its built-in
  ///     sample.
  ///   - definitions: the definitions of feeds.
  /// - Throws: `OffersError`: `invalidRequest` if `path` is empty, a URL or `:memory:`, `notFound` if
  ///   the access is read-only and the file does not exist, `newerDatabase` if a newer program wrote
  ///   the file, `storageFailed` if the file belongs to another program, is damaged, or access is
  ///   denied, or if the loaded SQLite is too old, `locked` if a restoration was interrupted and
  ///   another program has the old file open. The file is then untouched. `CancellationError` if the
  ///   task is cancelled while it waits; nothing is then created or changed.
  package static func open(
    path: String, access: Access = .readWrite, readerCount: Int = 4, proposesFeed: Bool = true,
    definitions: (any FeedDefinitions)? = nil
  ) async throws -> OffersDatabase {
    try check(path: path)
    try SQLiteLibrary.check()
    try Task.checkCancellation()
    let begun = ContinuousClock.now
    do {
      let (file, header) = try await find(path)
      if access == .readWrite {
        let writer = try await WritingConnection.open(file, header, proposesFeed: proposesFeed)
        let reader = ReadingPool(writer.file, limit: readerCount)
        return OffersDatabase(
          path: path, file: writer.file, reader: reader, writer: writer, definitions: definitions)
      }
      try await prepareForReading(file, header)
      let reader = ReadingPool(file, limit: readerCount)
      try await reader.readWithoutTransaction { try StoredNameCheck.check(in: $0, path: file.path) }
      return OffersDatabase(
        path: path, file: file, reader: reader, writer: nil, definitions: definitions)
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
      let found = try await BlockingWork.run { try DatabaseFile.find(path) }
      if found.header != .missing { return found }
      // A restoration under way may just have put the old file aside, or the new one in place.
      if !replacement.isPending {
        return try await BlockingWork.run { try DatabaseFile.find(path) }
      }
    }
    let writeGuard = try await BlockingWork.run {
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
    case .ours(version: Schema.version, isReady: true): break
    case .missing, .empty, .blank: throw missing(at: file.path)
    case .ours, .foreign: _ = try await WritingConnection.open(file, header)
    }
  }

  /// Closes the database: waits for the reads and writes under way, writes the image uses that were
  /// gathered, and closes the connections. All later operations throw an `OffersError` with
  /// `invalidRequest`, except for `close`, which does nothing more.
  ///
  /// For another process that is writing, the image uses wait 2 seconds at most. Then they are
  /// dropped, which makes only the order of eviction and the counts inexact.
  ///
  /// A database that is released without being closed loses nothing either: the writes under way
  /// end, and the gathered image uses are written. Closing lets a program wait for that, for
  /// example before it ends or removes the file. Cancelling the task does not stop the closing.
  ///
  /// - Throws: `OffersError` with `storageFailed` if SQLite could not close a connection. The others
  ///   are closed, and a further call tries again.
  public func close() async throws {
    let task = closing.task.withLock { closing in
      let task = closing ?? Task { try await self.finish() }
      closing = task
      return task
    }
    try await task.value
  }

  private func finish() async throws {
    do {
      try await BlockingWork.run { [self] in
        let closed = Result { try reader.close() }
        // The reads have noted their uses.
        writeImageUses()
        try writer?.close()
        try closed.get()
      }
    } catch {
      closing.task.withLock { $0 = nil }
      throw StorageFailure.translate(error, path: path)
    }
  }

  deinit { if root == nil { writeImageUses() } }

  /// Enqueues a write of the gathered image uses. The enqueued write keeps the connection open
  /// until it has ended.
  private func writeImageUses() {
    let uses = imageUses.take()
    if !uses.isEmpty {
      writer?.writeLater { try ImageTable.note(uses, in: SQLiteTransaction($0)) }
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

  /// - Throws: `OffersError` with `invalidRequest` if the database is closed.
  func checkOpen() throws { try reader.checkOpen() }

  /// Reads one consistent state, in a read transaction.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await translating { try await reader.read(body) }
  }

  /// Reads without a transaction, for files that may be damaged: a transaction that met a damaged
  /// page cannot even be ended.
  func readWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await translating { try await reader.readWithoutTransaction(body) }
  }

  /// Runs one read statement on the calling thread. Only for the look-ups of
  /// `TransactionMode.lookup`: passing these reads to another thread and back takes several times as
  /// long as the read itself.
  func readStatement<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      if let result = try reader.readAtOnce(body) { return result }
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
    return try await read(body)
  }

  /// Waits for the writes enqueued by `writeLater`.
  package func finishLaterWrites() async throws {
    try await translating { try await fetchWriter().finishLaterWrites() }
  }

  package var canWrite: Bool { writer != nil }

  /// The parts of the schema that no migration created, as the database was opened for writing; see
  /// `SchemaObject.foreign(in:)`.
  package var foreignSchema: [String] { writer?.foreignSchema ?? [] }

  private func fetchWriter() throws -> WritingConnection {
    guard let writer else { throw OffersError.readOnlyStore }
    return writer
  }

  /// Writes in one immediate transaction under the write guard, then checkpoints the log as far as
  /// the mode requires it. Waits at most `waitSeconds` for writers of other processes.
  func write<Result: Sendable>(
    _ mode: WriteMode = .ordinary, waitSeconds: Double = WriteGuard.waitSeconds,
    describe: @escaping @Sendable (Result) -> KnownCommits.Element? = { _ in nil },
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await translating {
      try await fetchWriter().write(mode, waitSeconds: waitSeconds, describe: describe, body)
    }
  }

  /// Enqueues a write without waiting for it. An error is discarded, as is the write once closing has
  /// begun, or if the database is open for reading only.
  package func writeLater(_ body: @escaping @Sendable (any Transaction) throws -> Void) {
    // No caller waits for the result, and the loss of what is written this way costs little.
    if (try? checkOpen()) != nil { writer?.writeLater { try body(SQLiteTransaction($0)) } }
  }

  /// Writes in a transaction of `write`. A database that is open for reading only opens a
  /// connection to the same file for this write; a file that was removed is not created again.
  func writeAnyway<Result: Sendable>(
    _ mode: WriteMode = .ordinary, waitSeconds: Double = WriteGuard.waitSeconds,
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await withWriter { try await $0.write(mode, waitSeconds: waitSeconds, body) }
  }

  /// Runs a write and rolls it back; returns nil if another process is writing. A database that is
  /// open for reading only opens a connection for it, as for `writeAnyway`.
  func writeTrialIfFree<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result? {
    try await withWriter { try await $0.writeTrialIfFree(body) }
  }

  private func withWriter<Result: Sendable>(
    _ body: (WritingConnection) async throws -> Result
  ) async throws -> Result {
    try await translating {
      if let writer { return try await body(writer) }
      let header = try await BlockingWork.run { [file] in try DatabaseFile.find(file.path).header }
      guard case .ours = header else { throw Self.missing(at: file.path) }
      let opened = try await WritingConnection.open(file, header)
      do {
        let result = try await body(opened)
        try await BlockingWork.run { try opened.close() }
        return result
      } catch {
        // The error of the write is the one to report.
        try? await BlockingWork.run { try opened.close() }
        throw error
      }
    }
  }

  /// Runs a write and rolls it back.
  func writeTrial<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await translating { try await fetchWriter().writeTrial(body) }
  }

  /// Rewrites the file without its free pages (VACUUM) if their share is above `share`.
  ///
  /// - Returns: whether the file was rewritten.
  func compact(whenFreeAbove share: Double) async throws -> Bool {
    try await translating { try await fetchWriter().compact(whenFreeAbove: share) }
  }

  /// Runs an operation, unless the database is closed, and translates its errors.
  private func translating<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    let begun = ContinuousClock.now
    do {
      try checkOpen()
      return try await body()
    } catch {
      throw StorageFailure.translate(error, path: path, since: begun)
    }
  }
}
