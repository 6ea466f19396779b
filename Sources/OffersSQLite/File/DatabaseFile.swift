import Foundation
import GRDB
import GRDBSQLite
import OffersCore
import OffersPlatform
import OffersStore
import SQLiteMigrations

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
      hint: .failure(
        error.number,
        otherwise: .chooseDatabase("Check the folder's permissions, or name another.")))
  }
}

extension DatabaseFile {
  /// The kind of file, by its header.
  enum Header: Equatable {
    case missing
    /// A file of zero bytes.
    case empty
    /// A database of this program, with its schema version. It is ready if it is in WAL mode and
    /// has no rollback journal. Otherwise a connection that can write must open it first.
    case ours(version: Int, isReady: Bool)
    /// An SQLite file without a schema, an application id and a user version.
    case blank
    case foreign
  }

  /// The file of a path, with its links resolved, and its header.
  ///
  /// - Throws: `OffersError` for a file that must not be opened, which stays untouched.
  static func find(_ path: String) throws -> (file: DatabaseFile, header: Header) {
    let file = DatabaseFile(path: resolve(path))
    let header = try file.readHeader()
    try file.check(header)
    try file.checkJournal(header)
    return (file, header)
  }

  /// Refuses a database in WAL mode beside which there is a rollback journal of another file or of
  /// another state of it: SQLite would roll the complete database back to that state, or empty it.
  ///
  /// Only a switch to WAL that was interrupted leaves a journal beside such a file. That journal
  /// changes no size.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  private func checkJournal(_ header: Header) throws {
    guard case .ours(_, isReady: false) = header else { return }
    var start = [UInt8](repeating: 0, count: Offset.end)
    // A file that cannot be read is reported when it is opened.
    guard readStart(into: &start) == nil, start[Offset.writeVersion] == Self.withLog,
      let pageCount = findJournalPages()
    else { return }
    let pageBytes = Int(start[16]) << 8 | Int(start[17])
    if pageCount * (pageBytes == 1 ? 65_536 : pageBytes) == bytes { return }
    throw OffersError(
      .storageFailed,
      "\(path)-journal belongs to another file than \(path), or to another state of it. With it, "
        + "the database would lose what it has. Nothing was changed.",
      hint: "Move \(path)-journal away, then try again.")
  }

  /// The reason why a header could not be read.
  struct HeaderFailure: Error {
    /// The value of `errno`; nil for something other than a regular file.
    let number: Int32?

    /// Whether the path names something that this program cannot have written: a folder, a pipe, or
    /// a file that this user may not read.
    var isOfAnother: Bool { number.map { [EACCES, EPERM].contains($0) } ?? true }
  }

  /// Reads the header only, so that another program's file stays untouched.
  ///
  /// - Throws: `OffersError` with `storageFailed` and the system's reason.
  func readHeader() throws -> Header {
    do {
      return try findHeader()
    } catch {
      throw unreadable(error)
    }
  }

  func findHeader() throws(HeaderFailure) -> Header {
    let status: FileStatus
    do {
      guard let found = try FileStatus.find(path) else { return .missing }
      status = found
    } catch {
      throw HeaderFailure(number: error.number)
    }
    // Only a regular file is opened, because opening a pipe would block.
    guard status.isRegular else { throw HeaderFailure(number: nil) }
    var bytes = [UInt8](repeating: 0, count: Offset.end)
    if let number = readStart(into: &bytes) { throw HeaderFailure(number: number) }
    if status.bytes == 0 { return .empty }
    guard status.bytes >= bytes.count, bytes.starts(with: Array("SQLite format 3\0".utf8))
    else {
      return isHalfMade(bytes) ? .blank : .foreign
    }
    func number(at offset: Int) -> Int32 {
      bytes[offset..<offset + 4].reduce(Int32(0)) { $0 << 8 | Int32($1) }
    }
    let version = Int(number(at: Offset.userVersion))
    let owner = number(at: Offset.applicationID)
    if owner == Self.applicationID {
      let isReady = bytes[Offset.writeVersion] == Self.withLog && !hasRollbackJournal
      return .ours(version: version, isReady: isReady)
    }
    // A process that died before the first migration leaves neither application id nor schema.
    return owner == 0 && version == 0 && number(at: Offset.schemaCookie) == 0 ? .blank : .foreign
  }

  /// Byte offsets in the header: https://sqlite.org/fileformat2.html#the_database_header
  enum Offset {
    static let writeVersion = 18
    static let schemaCookie = 40
    static let userVersion = 60
    static let applicationID = 68
    static let end = 100
  }

  /// The write version of a file in WAL mode.
  static let withLog: UInt8 = 2

  /// Whether there is a rollback journal beside the file, left by a killed write of another program.
  private var hasRollbackJournal: Bool { FileAccess.exists(path + "-journal") }

  /// Whether a power cut has left a file of which only a later part was written: its start is zeros,
  /// and there is the journal that empties it.
  private func isHalfMade(_ start: [UInt8]) -> Bool {
    start.allSatisfy { $0 == 0 } && findJournalPages() == 0
  }

  /// The size in pages that the rollback journal restores; nil if there is no journal that SQLite
  /// would roll back. https://sqlite.org/fileformat2.html#the_rollback_journal
  private func findJournalPages() -> Int? {
    var header = [UInt8](repeating: 0, count: Offset.end)
    guard DatabaseFile(path: path + "-journal").readStart(into: &header) == nil,
      header.starts(with: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    else { return nil }
    return header[16..<20].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads the file's first bytes, filled up with zeros.
  ///
  /// - Returns: the value of `errno` if the file could not be read; nil if it was.
  private func readStart(into bytes: inout [UInt8]) -> Int32? {
    bytes.withUnsafeMutableBytes { buffer in
      Self.reading(path) { read in read(buffer, 0) }
    }
  }

  func unreadable(_ failure: HeaderFailure) -> OffersError {
    let reason =
      switch failure.number {
      case nil: "It is not a regular file"
      case 0?: "It is not a readable file"
      case let number?: SystemError(number, "open").text
      }
    return OffersError(
      .storageFailed, "Could not open the database \(path): \(reason).",
      hint: .failure(
        failure.number ?? 0,
        otherwise: .chooseDatabase("Check its permissions, or name another.")))
  }
}

/// The refusals of files that this program must not use.
extension DatabaseFile {
  /// Refuses a file of another program or of a newer version of this one, by its header.
  func check(_ header: Header) throws {
    switch header {
    case .foreign:
      throw Self.foreignFile(path)
    case .ours(let version, _):
      try Self.checkVersion(version, path: path)
    case .missing, .empty, .blank:
      break
    }
  }

  static func foreignFile(_ path: String) -> OffersError {
    OffersError(
      .storageFailed, "\(path) is not a database of this program. It was left untouched.",
      hint: .chooseDatabase("Name another file."))
  }

  /// Refuses a version that is newer than this program, or older than the first migration.
  static func checkVersion(_ version: Int, path: String) throws {
    if version < 0 { throw foreignFile(path) }
    if (1..<SQLiteMigrations.firstNumber).contains(version) { throw OlderDatabase.refusal(path) }
    guard version > SQLiteMigrations.currentVersion else { return }
    throw OffersError(
      .newerDatabase,
      "\(path) was written by a newer version of offers (schema \(version), this one knows "
        + "\(SQLiteMigrations.currentVersion)). It was left untouched.",
      hint: .chooseDatabase("Install the newer version, or name another file."))
  }
}

extension DatabaseFile {
  /// Reads bytes at an offset, filled up with zeros after the end of the file.
  ///
  /// - Returns: the value of `errno` if they could not be read; nil if they were.
  typealias Read = (_ bytes: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int32?

  /// Opens a file and has it read, through SQLite's own file handle. SQLite holds POSIX locks, which
  /// belong to the process: closing any other descriptor of the file would drop them. The file need
  /// not be a database, because SQLite itself reads none of its pages here.
  /// https://sqlite.org/howtocorrupt.html#posixlocks
  ///
  /// - Returns: the value of `errno` if the file could not be opened, otherwise the result of `body`.
  static func reading(_ path: String, _ body: (Read) -> Int32?) -> Int32? {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
      return FileOperations.openingFailure()?.number ?? sqlite3_system_errno(connection)
    }
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard let file, let read = file.pointee.pMethods?.pointee.xRead else { return ENOTSUP }
    return body { bytes, offset in
      let code = read(file, bytes.baseAddress, Int32(bytes.count), Int64(offset))
      if code == SQLITE_OK || code == ResultCode.SQLITE_IOERR_SHORT_READ.rawValue { return nil }
      var number: Int32 = 0
      sqlite3_file_control(connection, "main", SQLITE_FCNTL_LAST_ERRNO, &number)
      return number
    }
  }

  /// Looks for a part of the file or its log that the disk does not return. SQLite reports such a
  /// page as damaged (`SQLITE_IOERR_CORRUPTFS`), although it may be sound on the disk.
  ///
  /// - Returns: the value of `errno`; nil if everything can be read.
  func findReadFailure() -> Int32? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 8)
    defer { buffer.deallocate() }
    for (path, size) in [(path, bytes), (path + "-wal", logBytes)] where size > 0 {
      let failure = Self.reading(path) { read in
        for offset in stride(from: 0, to: size, by: buffer.count) {
          if let number = read(buffer, offset) { return number }
        }
        return nil
      }
      if let failure { return failure }
    }
    return nil
  }
}
