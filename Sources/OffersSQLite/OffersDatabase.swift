import GRDB
import OffersCore

/// The offers of all feeds in one SQLite file.
///
/// Guarantees:
/// - Each read sees one consistent state, waits for no writer, and never changes the file.
/// - A write is all or nothing. Once it returns it survives a crash and a power cut
///   (`synchronous=FULL`), except for cached images, runs that changed no offer and recent
///   searches: a power cut may lose the last of these.
/// - Any number of processes may use the file at the same time; writers take turns by a file lock.
/// - The file is readable by its owner only. Beside it are SQLite's `-wal` and `-shm` files and the
///   `-lock` file that holds the locks of writers and syncs.
public final class OffersDatabase: Sendable {
  /// The operations that an open database allows.
  public enum Access: Sendable {
    /// Reads only. The file must exist; one with an older schema is migrated first.
    case readOnly
    /// Reads and writes. The file and its folder are created if they are missing.
    case readWrite
  }

  /// The file's path.
  public let path: String
  let file: DatabaseFile
  private let writer: WritingConnection?
  /// Image uses that have not been written to the database yet.
  let imageUses = ImageUses()
  /// Opens its connections lazily, so that a program that only writes opens none.
  private let reader: ReadingConnection
  /// Detects commits of any process. Opens its connection lazily.
  let version: VersionConnection

  /// Opens the database. Opening for writing waits for the write guard; opening for reading waits
  /// for nobody, unless the file must be migrated.
  ///
  /// - Parameter readerCount: the maximum number of concurrent reads. One is enough for a program
  ///   that serves one person.
  /// - Throws: `OffersError`: `invalidRequest` if `path` is a URL, `notFound` if the access is
  ///   read-only and the file does not exist, `newerDatabase` if a newer program wrote the file,
  ///   `storageFailed` if the file belongs to another program, is damaged, or access is denied, or
  ///   if the loaded SQLite is too old. The file is then untouched.
  public init(path: String, access: Access = .readWrite, readerCount: Int = 1) throws {
    try Self.check(path: path)
    self.path = path
    var file = DatabaseFile(path: DatabaseFile.resolve(path))
    let header = try file.readHeader()
    try file.check(header)
    do {
      switch access {
      case .readOnly:
        try Self.prepareForReading(file, header)
        reader = ReadingConnection(file, limit: readerCount)
        version = VersionConnection(file)
        try reader.open()
        writer = nil
      case .readWrite:
        if header == .missing {
          try file.create()
          // Resolve again: the path may have been a dangling symbolic link, whose target now
          // exists.
          file = DatabaseFile(path: DatabaseFile.resolve(path))
        }
        let writeGuard = try WriteGuard(path: file.lockPath)
        reader = ReadingConnection(file, limit: readerCount)
        version = VersionConnection(file)
        writer = try WritingConnection(file, header, writeGuard)
      }
      self.file = file
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// Opens a damaged database to salvage its readable rows. The file is not even migrated.
  ///
  /// - Throws: `OffersError`: `notFound`, `newerDatabase`, or `storageFailed` if the file belongs
  ///   to another program or none of its tables can be found.
  package init(salvaging path: String) throws {
    try Self.check(path: path)
    self.path = path
    file = DatabaseFile(path: DatabaseFile.resolve(path))
    let header = try file.readHeader()
    try file.check(header)
    if [.missing, .empty, .blank].contains(header) { throw Self.missing(at: file.path) }
    writer = nil
    reader = ReadingConnection(file, isSalvage: true)
    version = VersionConnection(file)
    do {
      try reader.withQueue { try $0.unsafeRead(SalvageQuery.checkTables) }
    } catch {
      throw StorageFailure.translateLoss(error, path: path)
    }
  }

  /// The error for a path with no database, or with an empty file that was never set up.
  package static func missing(at path: String) -> OffersError {
    OffersError(
      .notFound, "There is no database yet at \(path).", advice: Advice("Make it with", .sync))
  }

  /// Refuses a missing file and migrates one with an older schema.
  private static func prepareForReading(_ file: DatabaseFile, _ header: DatabaseFile.Header) throws
  {
    switch header {
    case .ours(version: Schema.version, isReady: true):
      return
    case .missing, .empty, .blank:
      throw missing(at: file.path)
    case .ours, .foreign:
      _ = try WritingConnection(
        file, header, WriteGuard(path: file.lockPath))
    }
  }

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

  /// Runs one read statement on the calling thread. Only for an image that is cached: passing the
  /// read to another thread and back takes several times as long as the read itself.
  func readStatement<Result>(_ body: (Database) throws -> Result) throws -> Result {
    do {
      return try reader.withQueue { try $0.unsafeRead(body) }
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// Waits for the writes enqueued by `writeLater`.
  func finishLaterWrites() async throws {
    try await translating { try await fetchWriter().finishLaterWrites() }
  }

  var canWrite: Bool { writer != nil }

  private func fetchWriter() throws -> WritingConnection {
    guard let writer else {
      throw OffersError(.invalidRequest, "The database was opened for reading only.")
    }
    return writer
  }

  /// Writes in one immediate transaction under the write guard, then checkpoints the log.
  ///
  /// - Parameter waitSeconds: the maximum wait for writers of other processes.
  func write<Result: Sendable>(
    _ mode: WriteMode = .ordinary, waitSeconds: Double = WriteGuard.waitSeconds,
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await translating {
      try await fetchWriter().write(mode, waitSeconds: waitSeconds, body)
    }
  }

  /// Enqueues a write without waiting for it. An error is discarded.
  func writeLater(_ mode: WriteMode, _ body: @escaping @Sendable (Database) throws -> Void) {
    writer?.writeLater(mode, body)
  }

  /// Runs a write and rolls it back.
  func writeTrial<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await translating { try await fetchWriter().writeTrial(body) }
  }

  /// Runs a write on the calling thread and rolls it back; returns nil if another process is
  /// writing.
  func writeTrialIfFree<Result>(_ body: (Database) throws -> Result) throws -> Result? {
    do {
      return try fetchWriter().writeTrialIfFree(body)
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// Rewrites the file without its free pages (VACUUM) if their share is above `share`.
  ///
  /// - Returns: whether the file was rewritten.
  func compact(whenFreeAbove share: Double) async throws -> Bool {
    try await translating { try await fetchWriter().compact(whenFreeAbove: share) }
  }

  private func translating<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }
}
