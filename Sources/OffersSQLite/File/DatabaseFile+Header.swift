import GRDB
import GRDBSQLite
import OffersCore
import OffersPlatform

extension DatabaseFile {
  /// The kind of file, by its header.
  enum Header: Equatable {
    case missing
    /// A file of zero bytes.
    case empty
    /// A database of this program, with its schema version. It is ready if it is in WAL mode and
    /// has no rollback journal. An older version that was killed during a large import left a
    /// database in another mode; it must first be opened by a connection that can write.
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
    return (file, header)
  }

  /// Reads the header only, so that another program's file stays untouched.
  func readHeader() throws -> Header {
    let status: FileStatus
    do {
      guard let found = try FileStatus.find(path) else { return .missing }
      status = found
    } catch {
      throw unreadable(error.text)
    }
    // Only a regular file is opened, because opening a pipe would block.
    guard status.isRegular else { throw unreadable("It is not a regular file") }
    var bytes = [UInt8](repeating: 0, count: Offset.end)
    guard readStart(into: &bytes) == SQLITE_OK else {
      do {
        try FileAccess.reading.check(path)
      } catch {
        throw unreadable(error.text)
      }
      throw unreadable("It is not a readable file")
    }
    if status.bytes == 0 { return .empty }
    guard status.bytes >= bytes.count, bytes.starts(with: Array("SQLite format 3\0".utf8))
    else {
      return .foreign
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

  /// Whether there is a rollback journal beside the file, left by a killed write of an older
  /// version or of another program.
  private var hasRollbackJournal: Bool { FileAccess.exists(path + "-journal") }

  /// Reads the file's first bytes, filled up with zeros, through SQLite's own file handle. SQLite
  /// holds POSIX locks, which belong to the process: closing any other descriptor of the file would
  /// drop them. The file need not be a database, because SQLite itself reads none of its pages
  /// here. https://sqlite.org/howtocorrupt.html#posixlocks
  ///
  /// - Returns: an SQLite result code.
  private func readStart(into bytes: inout [UInt8]) -> Int32 {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    let code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil)
    if code != SQLITE_OK { return code }
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard let file, let read = file.pointee.pMethods?.pointee.xRead else { return SQLITE_CANTOPEN }
    let readCode = read(file, &bytes, Int32(bytes.count), 0)
    return readCode == ResultCode.SQLITE_IOERR_SHORT_READ.rawValue ? SQLITE_OK : readCode
  }

  private func unreadable(_ reason: String) -> OffersError {
    OffersError(
      .storageFailed, "Could not open the database \(path): \(reason).",
      advice: Advice("Check its permissions, or name another", .chooseDatabase))
  }
}
