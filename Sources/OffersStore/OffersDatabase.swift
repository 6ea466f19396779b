import Foundation
import GRDB
import GRDBSQLite
import OffersCore
import SQLiteShim
import Synchronization

/// The offers of all feeds in one SQLite file.
///
/// Guarantees:
/// - Reads see one consistent state, wait for no writer, and never change the file.
/// - A write is all or nothing, and once it returns it survives a crash and a power cut
///   (`synchronous=FULL`); only pictures and the note that a sync changed nothing may be lost in a
///   power cut.
/// - Any number of processes may use the file at the same time; writers take turns.
/// - The file is readable by its owner only. Beside it stand SQLite's `-wal` and `-shm` and the
///   `-lock` that writers take turns by.
public final class OffersDatabase: Sendable {
  /// What an opened database will be used for.
  public enum Access: Sendable {
    /// Reads only. The file must exist; it is migrated first when it is of an older version.
    case readOnly
    /// Reads and writes. The file and its folder are made when they are missing.
    case readWrite
  }

  /// The file's path.
  public let path: String
  let file: DatabaseFile
  private let writer: Writer?
  /// The uses of pictures that are not written down yet.
  let imageUses = ImageUses()
  /// Opened when it is first needed: a program that only writes does without.
  private let reader: Mutex<DatabaseQueue?>

  /// The connection that writes, and what it takes turns by.
  private struct Writer {
    let queue: DatabaseQueue
    let writeGuard: WriteGuard
  }

  /// Opens the database. Opening for writing waits for its turn to write; for reading, for nobody.
  ///
  /// - Throws: `OffersError`: `notFound` when it is to be read only and does not exist,
  ///   `newerDatabase` when a newer program wrote it, `storageFailed` when it is not ours, damaged
  ///   or not permitted. The file is untouched then.
  public init(path: String, access: Access = .readWrite) throws {
    self.path = path
    var file = DatabaseFile(path: DatabaseFile.resolve(path))
    let header = try file.readHeader()
    try file.check(header)
    do {
      switch access {
      case .readOnly:
        try Self.prepareForReading(file, header)
        reader = Mutex(try Self.openReader(file))
        writer = nil
      case .readWrite:
        if header == .missing {
          try file.create()
          // What was a link to nowhere now leads somewhere.
          file = DatabaseFile(path: DatabaseFile.resolve(path))
        }
        let writeGuard = try WriteGuard(path: file.lockPath)
        reader = Mutex(nil)
        writer = Writer(
          queue: try Self.openWriter(file, header, writeGuard), writeGuard: writeGuard)
      }
      self.file = file
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// A file that is missing cannot be read; one that is older is migrated first.
  private static func prepareForReading(_ file: DatabaseFile, _ header: DatabaseFile.Header) throws
  {
    switch header {
    case .ours(version: Schema.version, isReady: true):
      return
    case .missing, .empty, .blank:
      throw OffersError(
        .notFound, "There is no database yet at \(file.path).",
        hint: "Make it with: offers sync")
    case .ours, .foreign:
      _ = try openWriter(file, header, WriteGuard(path: file.lockPath))
    }
  }

  private static func openWriter(
    _ file: DatabaseFile, _ header: DatabaseFile.Header, _ writeGuard: WriteGuard
  ) throws -> DatabaseQueue {
    // Opening may write: becoming WAL, and migrating.
    try writeGuard.hold {
      let isReady = header == .ours(version: Schema.version, isReady: true)
      if !isReady {
        // Before the log is turned on: what stands in no log need not be moved into the file.
        try Schema.migrate(path: file.path, settings: settings, busySeconds: busySeconds)
      }
      let queue = try DatabaseQueue(
        path: file.path, configuration: configuration(readOnly: false))
      try queue.inDatabase { database in
        if isReady {
          return try DatabaseFile.checkVersion(Schema.version(of: database), path: file.path)
        }
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        checkpoint(database)
      }
      return queue
    }
  }

  private static func openReader(_ file: DatabaseFile) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(
      path: file.pathForReading, configuration: configuration(readOnly: true))
    try queue.inDatabase {
      try DatabaseFile.checkVersion(Schema.version(of: $0), path: file.path)
    }
    return queue
  }

  private func fetchReader() throws -> DatabaseQueue {
    try reader.withLock { reader in
      if let reader { return reader }
      let opened = try Self.openReader(file)
      reader = opened
      return opened
    }
  }

  private static func configuration(readOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.busyMode = .timeout(busySeconds)
    configuration.label = "offers"
    configuration.prepareDatabase { database in
      _ = offers_disable_checkpoint_on_close(database.sqliteConnection)
      NaturalCollation.install(on: database.sqliteConnection)
      if database.configuration.readonly { return }
      try database.execute(sql: settings)
    }
    return configuration
  }

  /// The settings of a connection that writes.
  ///
  /// Pages of 8 KiB make a large import a fifth cheaper. Only a new file takes the size.
  /// Checkpoints are ours alone, under the guard. FAST overwrites what is deleted only where the
  /// page is written anyway.
  private static let settings = """
    PRAGMA page_size = 8192;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = \(journalLimitBytes);
    PRAGMA secure_delete = FAST;
    PRAGMA cache_size = -\(cacheKibibytes);

    """

  private static let busySeconds = 20.0
  private static let busyMilliseconds = Int32(busySeconds * 1000)
  private static let cacheKibibytes = 8 << 10
  private static let journalLimitBytes = 4 << 20
  /// How large notes may make the log before it is moved into the file.
  private static let noteLogBytes = 256 << 10
  /// How large pictures may make it: some hundred of them share one wait for the disk.
  private static let imageLogBytes = 4 << 20

  /// Reads one consistent state.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      return try await fetchReader().read(body)
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// Reads one consistent state on the calling thread, for a program that does nothing else
  /// meanwhile: a command is done before other threads would have started.
  func readBlocking<Result>(_ body: (Database) throws -> Result) throws -> Result {
    do {
      return try fetchReader().read(body)
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// Runs one statement that reads, on the calling thread and without a transaction around it:
  /// what takes microseconds is not worth a change of threads.
  func readStatement<Result>(_ body: (Database) throws -> Result) throws -> Result {
    do {
      return try fetchReader().unsafeRead(body)
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// Reads on the connection that writes, as the first step of a write to come: a second
  /// connection would cost a small sync more than its reading.
  func readToWrite<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      return try await fetchWriter().queue.read(body)
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  var canWrite: Bool { writer != nil }

  private func fetchWriter() throws -> Writer {
    guard let writer else {
      throw OffersError(.invalidRequest, "The database was opened for reading only.")
    }
    return writer
  }

  /// How a write goes about it.
  enum WriteMode {
    case ordinary
    /// A note about a sync that changed no offer. A power cut may lose the last of them, and
    /// nothing else: it is not worth waiting for the disk.
    case note
    /// A picture, or how pictures were used. A power cut may lose the last of them, which can be
    /// had again.
    case image
    /// Megabytes of offers at once.
    case bulk
    /// Removals that see to it themselves that nothing refers to what they remove. A foreign key's
    /// own check of a removed run would read all changes.
    case clearing

    /// Whether to wait for the disk.
    fileprivate var isSynchronous: Bool { self != .note && self != .image }

    /// How large the log may be before it is moved into the file.
    fileprivate var logBytes: Int {
      switch self {
      case .note: noteLogBytes
      case .image: imageLogBytes
      case .ordinary, .bulk, .clearing: 0
      }
    }
  }

  /// Writes in one immediate transaction under the write guard, and moves the log into the file.
  func write<Result: Sendable>(
    _ mode: WriteMode = .ordinary, _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      let writer = try fetchWriter()
      return try await writer.queue.writeWithoutTransaction {
        try self.perform(mode, on: $0, writer.writeGuard, body)
      }
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// Writes behind the writes that wait already, without waiting for it. A failure is not told.
  func writeLater(_ mode: WriteMode, _ body: @escaping @Sendable (Database) throws -> Void) {
    writer?.queue.asyncWriteWithoutTransaction { [writer] in
      guard let writer else { return }
      // The caller gave up hearing of it.
      try? self.perform(mode, on: $0, writer.writeGuard, body)
    }
  }

  private func perform<Result>(
    _ mode: WriteMode, on database: Database, _ writeGuard: WriteGuard,
    _ body: (Database) throws -> Result
  ) throws -> Result {
    try writeGuard.hold {
      defer { Self.end(mode, database) }
      try begin(mode, database)
      var result: Result?
      try database.inTransaction(.immediate) {
        result = try body(database)
        return .commit
      }
      if mode.logBytes == 0 || file.logBytes > mode.logBytes { Self.checkpoint(database) }
      guard let result else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
      return result
    }
  }

  /// Tries a write: what the body writes is taken back.
  func writeTrial<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      let writer = try fetchWriter()
      return try await writer.queue.writeWithoutTransaction { database in
        try writer.writeGuard.hold {
          var result: Result?
          try database.inTransaction(.immediate) {
            result = try body(database)
            return .rollback
          }
          guard let result else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
          return result
        }
      }
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// Rewrites the file without its free pages when more than a share of it is free.
  ///
  /// - Returns: whether it did.
  func compact(whenFreeAbove share: Double) async throws -> Bool {
    do {
      let writer = try fetchWriter()
      return try await writer.queue.writeWithoutTransaction { database in
        try writer.writeGuard.hold {
          let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
          let all = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
          guard Double(free) > share * Double(all) else { return false }
          try database.execute(sql: "VACUUM")
          Self.checkpoint(database)
          return true
        }
      }
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// Prepares the connection for a write that is not an ordinary one.
  ///
  /// Foreign keys are not checked row by row: the rows of an import get the same two, looked up in
  /// the same transaction. A database without offers is filled with a rollback journal instead of a
  /// log, at two thirds of the cost, because everything is then written once and not twice; there
  /// is nothing to read yet that could have to wait. If another process has the file open, SQLite
  /// refuses the change and the log is used.
  private func begin(_ mode: WriteMode, _ database: Database) throws {
    if mode == .ordinary { return }
    if !mode.isSynchronous { return try database.execute(sql: "PRAGMA synchronous = NORMAL") }
    try database.execute(sql: "PRAGMA foreign_keys = OFF")
    guard mode == .bulk,
      try Bool.fetchOne(database, sql: "SELECT NOT EXISTS (SELECT 1 FROM offer)") == true
    else { return }
    reader.withLock { $0 = nil }
    Self.setJournal("DELETE", database)
  }

  private static func end(_ mode: WriteMode, _ database: Database) {
    if mode == .ordinary { return }
    if mode == .bulk { setJournal("WAL", database) }
    let usual = mode.isSynchronous ? "PRAGMA foreign_keys = ON" : "PRAGMA synchronous = FULL"
    _ = sqlite3_exec(database.sqliteConnection, usual, nil, nil, nil)
  }

  /// Asks for another journal, without waiting. A refusal leaves the one there is; both are safe,
  /// and whoever opens the file next asks for the log again.
  private static func setJournal(_ mode: String, _ database: Database) {
    let connection = database.sqliteConnection
    sqlite3_busy_timeout(connection, 0)
    _ = sqlite3_exec(connection, "PRAGMA journal_mode = \(mode)", nil, nil, nil)
    sqlite3_busy_timeout(connection, busyMilliseconds)
  }

  /// Moves the log into the file and empties it, unless a reader still needs it: then the next
  /// write does. The caller holds the guard.
  private static func checkpoint(_ database: Database) {
    let connection = database.sqliteConnection
    sqlite3_busy_timeout(connection, 0)
    // What fails here stays safe in the log.
    _ = sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    sqlite3_busy_timeout(connection, busyMilliseconds)
  }
}
