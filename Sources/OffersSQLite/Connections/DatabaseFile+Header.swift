import Foundation
import GRDB
import GRDBSQLite
import OffersCore

extension DatabaseFile {
  /// What the first bytes say.
  enum Header: Equatable {
    case missing
    /// No bytes yet.
    case empty
    /// An SQLite file of ours, with its schema version. It is not ready when it has no write-ahead
    /// log, as older versions left it in the middle of a large import, until a connection that may
    /// write has opened it.
    case ours(version: Int, isReady: Bool)
    /// An SQLite file without any schema or mark.
    case blank
    case foreign
  }

  /// Reads the header alone, so that what is not ours stays as it is.
  func readHeader() throws -> Header {
    var information = stat()
    guard stat(path, &information) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return .missing }
      throw unreadable(String(cString: strerror(errno)))
    }
    // A pipe would be waited for.
    guard information.st_mode & S_IFMT == S_IFREG else {
      throw unreadable("It is no ordinary file")
    }
    var bytes = [UInt8](repeating: 0, count: Offset.end)
    guard readStart(into: &bytes) == SQLITE_OK else {
      let isForbidden = access(path, R_OK) != 0
      throw unreadable(isForbidden ? String(cString: strerror(errno)) : "It is no readable file")
    }
    if information.st_size == 0 { return .empty }
    guard information.st_size >= bytes.count, bytes.starts(with: Array("SQLite format 3\0".utf8))
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
    // A database of ours that died before its first migration has no mark and no schema yet.
    return owner == 0 && version == 0 && number(at: Offset.schemaCookie) == 0 ? .blank : .foreign
  }

  /// Where things stand in the header: https://sqlite.org/fileformat2.html#the_database_header
  enum Offset {
    static let writeVersion = 18
    static let schemaCookie = 40
    static let userVersion = 60
    static let applicationID = 68
    static let end = 100
  }

  /// The versions of a file whose changes are written to a log first.
  static let withLog: UInt8 = 2

  /// Whether a rollback journal stands beside the file, which a killed write of an older version or of
  /// another program left.
  private var hasRollbackJournal: Bool { access(path + "-journal", F_OK) == 0 }

  /// Reads the file's first bytes, the missing ones as 0, by SQLite's own open file: it has locks of
  /// the process on the files it has open, and closing any other descriptor of one would drop them.
  /// Nothing else of SQLite looks at the file, which need not be a database.
  /// https://sqlite.org/howtocorrupt.html#posixlocks
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
      hint: "Check its permissions, or name another with --database.")
  }
}
