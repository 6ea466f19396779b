import Foundation
import GRDB
import GRDBSQLite
import OffersPlatform

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
