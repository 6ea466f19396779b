import GRDB
import OffersCore

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
  private let writer: WritingConnection?
  /// The uses of pictures that are not written down yet.
  let imageUses = ImageUses()
  /// Opened when it is first needed: a program that only writes does without.
  private let reader: ReadingConnection
  /// Opened when it is first asked.
  let version: VersionConnection

  /// Opens the database. Opening for writing waits for its turn to write; for reading, for nobody.
  ///
  /// - Parameter readerCount: how many may read at the same time; a program that reads for one person
  ///   needs no second one.
  /// - Throws: `OffersError`: `invalidRequest` for what is no path of a file, as an address is,
  ///   `notFound` when it is to be read only and does not exist,
  ///   `newerDatabase` when a newer program wrote it, `storageFailed` when it is not ours, damaged
  ///   or not permitted, or when the SQLite that is loaded is too old. The file is untouched then.
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
          // What was a link to nowhere now leads somewhere.
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

  /// Opens a damaged database to save what can still be read of it. It is not even migrated.
  ///
  /// - Throws: `OffersError`: `notFound`, `newerDatabase`, or `storageFailed` when it is not ours or
  ///   not one of its tables can be found.
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

  /// What is said where there is no database at a path, or only a file that one was begun in.
  package static func missing(at path: String) -> OffersError {
    OffersError(
      .notFound, "There is no database yet at \(path).", hint: "Make it with: offers sync")
  }

  /// A file that is missing cannot be read; one that is older is migrated first.
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

  /// Reads one consistent state.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await translating { try await reader.read(body) }
  }

  /// Reads without a transaction around it, of a file that may be damaged: a transaction that met a
  /// damaged page cannot even end.
  func readWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await translating { try await reader.readWithoutTransaction(body) }
  }

  /// Runs one statement that reads, on the calling thread. Only for the cache of images: finding one
  /// takes microseconds, a change of threads longer.
  func readStatement<Result>(_ body: (Database) throws -> Result) throws -> Result {
    do {
      return try reader.withQueue { try $0.unsafeRead(body) }
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// Waits for what was handed to `writeLater`.
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

  /// Writes in one immediate transaction under the write guard, and moves the log into the file.
  ///
  /// - Parameter waitSeconds: how long to wait for other processes that write.
  func write<Result: Sendable>(
    _ mode: WriteMode = .ordinary, waitSeconds: Double = WriteGuard.waitSeconds,
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await translating {
      try await fetchWriter().write(mode, waitSeconds: waitSeconds, body)
    }
  }

  /// Writes behind the writes that wait already, without waiting for it. A failure is not told.
  func writeLater(_ mode: WriteMode, _ body: @escaping @Sendable (Database) throws -> Void) {
    writer?.writeLater(mode, body)
  }

  /// Tries a write: what the body writes is taken back.
  func writeTrial<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await translating { try await fetchWriter().writeTrial(body) }
  }

  /// The same on the calling thread, unless somebody else writes; nil then.
  func writeTrialIfFree<Result>(_ body: (Database) throws -> Result) throws -> Result? {
    do {
      return try fetchWriter().writeTrialIfFree(body)
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  /// Rewrites the file without its free pages when more than a share of it is free.
  ///
  /// - Returns: whether it did.
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
