import Foundation
import GRDB
import OffersCore
import OffersPlatform

/// The database's file as the file system sees it: created with the right mode, or refused
/// untouched.
struct DatabaseFile {
  let path: String
  /// The place of a database in memory, which has no file; nil for a file.
  let memory: MemoryDatabaseState?

  init(path: String) { (self.path, memory) = (path, nil) }

  private init(_ memory: MemoryDatabaseState) { (path, self.memory) = (Self.memoryPath, memory) }

  /// The place of a new database in memory.
  static func inMemory() -> DatabaseFile { DatabaseFile(MemoryDatabaseState()) }

  /// The name by which SQLite opens a new database in memory. https://sqlite.org/inmemorydb.html
  static let memoryPath = ":memory:"

  /// The application id in the header of this program's files: "OFFR".
  static let applicationID: Int32 = 0x4F46_4652

  /// Resolves symbolic links, as SQLite does: all processes must use the same lock file, whichever
  /// path they were given. Of a link to a missing file, the file that will be created is returned.
  static func resolve(_ path: String) -> String {
    SymbolicLinks.resolve(path)
  }

  /// The suffixes of the files beside a database.
  static let companions = [
    "-wal", "-shm", "-journal", "-lock", FileReplacement.copyEnding, FileReplacement.decidedEnding,
  ]

  /// The file with the locks of writers and syncs.
  var lockPath: String { path + "-lock" }

  /// The locks of writers and syncs.
  func makeLock() throws -> DatabaseLock {
    if let memory { return DatabaseLock(in: memory) }
    return try DatabaseLock(path: lockPath)
  }

  /// The sizes of the file and of its log, in bytes; 0 if missing.
  var bytes: Int { Self.bytes(of: path) }
  var logBytes: Int { Self.bytes(of: path + "-wal") }

  private static func bytes(of path: String) -> Int { status(of: path)?.bytes ?? 0 }

  /// The folder of the file; for a database in memory, that of temporary files.
  var folder: String { memory == nil ? FileOperations.folder(of: path) : NSTemporaryDirectory() }

  /// The folder for temporary files: that of the file, or the system's if that one is missing or not
  /// writable.
  var temporaryFolder: String {
    FileAccess.writing.isGranted(folder) ? folder : NSTemporaryDirectory()
  }

  /// Whether the path exists, as any kind of file.
  var exists: Bool { FileAccess.exists(path) }

  /// The path or URI that a read-only connection opens. Where SQLite cannot make its `-shm` file, and
  /// there is no log, the file is opened as immutable: where the folder is not writable, as on a
  /// read-only medium, and where the disk is full.
  /// https://sqlite.org/uri.html#uriimmutable
  var pathForReading: String {
    if FileAccess.exists(path + "-shm") || logBytes > 0 { return path }
    return FileAccess.writing.isGranted(folder) && !isDiskFull ? path : immutablePath
  }

  /// Whether the disk has no room for SQLite's `-shm` file, which has 32 KiB at least.
  var isDiskFull: Bool {
    // If the space cannot be found out, SQLite finds out whether there is room.
    let free = try? DiskSpace.freeBytes(of: folder)
    return free.map { $0 < Self.leastFreeBytes } ?? false
  }

  private static let leastFreeBytes = 64 << 10

  /// Whether the file can be read as immutable after SQLite failed to make its `-shm` file: there is
  /// no log to read, and nobody can write it without that file either.
  func isReadableWithoutWriting(after error: ResultCode) -> Bool {
    switch error {
    case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMMAP: break
    case .SQLITE_CANTOPEN: if FileAccess.exists(path + "-shm") { return false }
    default: return false
    }
    return logBytes == 0 && !FileAccess.exists(path + "-journal")
  }

  /// A URI that opens the file as immutable: SQLite takes no locks and creates no files beside it.
  var immutablePath: String {
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#%"))
    return "file:" + (path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path)
      + "?immutable=1"
  }

  /// The identity of the file at the path; nil if there is none.
  var identity: FileStatus.Identity? {
    memory == nil ? Self.status(of: path)?.identity : nil
  }

  /// The status of a file; nil if there is none or it cannot be found out.
  private static func status(of path: String) -> FileStatus? {
    // An opening of the file reports why.
    (try? FileStatus.find(path)) ?? nil
  }

  /// Whether another path names the same file.
  func isSameFile(as other: String) -> Bool {
    guard let mine = identity, let others = Self.status(of: other)?.identity else {
      return path == other
    }
    return mine == others
  }

  /// Refuses a file that is no longer at its path: writes to it would be lost.
  ///
  /// - Parameter opened: the identity at the time it was opened.
  /// - Throws: `OffersError` with `storageFailed`.
  func checkIdentity(_ opened: FileStatus.Identity?) throws {
    if identity == opened { return }
    throw OffersError(
      .storageFailed, "The database \(path) was replaced or removed while it was open.",
      hint: "Nothing was written. Restart the programs that have it open.")
  }

  /// The error of each operation after `OffersDatabase.close()`.
  var closedError: OffersError {
    OffersError(
      .invalidRequest, "The database \(path) is closed.", hint: "Open it again to use it.")
  }

  /// Creates the folder of a missing file.
  ///
  /// - Throws: an error that translates to `OffersError`, also if no file can be created in it.
  func makeFolder() throws {
    do {
      try FileOperations.makeFolders(of: path)
      // A process may have been killed after it had made the folder and before it synced the name.
      FileOperations.syncFolder(of: folder)
      try FileAccess.writing.check(folder)
    } catch {
      throw unmakeable(error)
    }
  }

  /// Creates an empty file, readable by the owner only, because SQLite would create it readable by
  /// others.
  ///
  /// - Returns: whether this call created the file; false if there is one.
  func create() throws -> Bool {
    do {
      return try FileOperations.makeFile(path)
    } catch {
      throw unmakeable(error)
    }
  }

  /// Removes the files of a database whose creation failed. The caller holds the write guard, and
  /// nothing was acknowledged yet.
  func removeUnmade() {
    for ending in ["-wal", "-shm", "-journal", ""] { FileOperations.removeFile(path + ending) }
  }

  private func unmakeable(_ error: SystemError) -> OffersError {
    OffersError(
      .storageFailed, "Could not create the database \(path): \(error.text).",
      advice: FileErrorAdvice.advice(
        on: error.number,
        otherwise: .chooseDatabase("Check the folder's permissions, or name another.")))
  }
}
