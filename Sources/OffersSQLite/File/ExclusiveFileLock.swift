import GRDB
import GRDBSQLite

/// An exclusive lock on a database file that keeps out every connection of every program.
///
/// A connection that has read a database in WAL mode keeps a shared lock on the file until it is
/// closed. The exclusive lock is therefore free only if nobody has the database open: no reader, no
/// server, no older version of this program, no other SQLite program, and no other part of this
/// process. https://sqlite.org/lockingv3.html
///
/// A connection that has opened the file as immutable holds no lock. It reads the file that it has
/// opened, whatever becomes of the name.
///
/// The lock is SQLite's own, taken through SQLite's file handle, because a descriptor of our own
/// would drop this process's locks when it is closed. None of the file's pages is read, so the file
/// may be damaged.
final class ExclusiveFileLock {
  private let connection: OpaquePointer
  private let file: UnsafeMutablePointer<sqlite3_file>

  private init(_ connection: OpaquePointer, _ file: UnsafeMutablePointer<sqlite3_file>) {
    self.connection = connection
    self.file = file
  }

  deinit {
    _ = file.pointee.pMethods?.pointee.xUnlock?(file, SQLITE_LOCK_NONE)
    sqlite3_close(connection)
  }

  /// Acquires the lock if it is free.
  ///
  /// - Parameter path: an existing file, with its links resolved.
  /// - Returns: nil if the file is open elsewhere.
  /// - Throws: `DatabaseError` if the file cannot be opened or locked.
  static func acquire(_ path: String) throws -> ExclusiveFileLock? {
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let connection else {
      sqlite3_close(connection)
      throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard let file, let lock = file.pointee.pMethods?.pointee.xLock else {
      sqlite3_close(connection)
      throw DatabaseError(resultCode: .SQLITE_CANTOPEN)
    }
    let hold = ExclusiveFileLock(connection, file)
    for level in [SQLITE_LOCK_SHARED, SQLITE_LOCK_EXCLUSIVE] {
      let code = lock(file, level)
      if code & 0xFF == SQLITE_BUSY { return nil }
      if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
    return hold
  }
}
