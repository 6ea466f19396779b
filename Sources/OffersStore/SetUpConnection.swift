import GRDB
import GRDBSQLite
import SQLiteShim

/// A connection that makes a database's tables, in a file or in memory, and is closed again.
///
/// It is SQLite's own: GRDB looks at each column that a statement touches, which costs a new database
/// more than the tables themselves do. What is not committed when it closes is taken back.
struct SetUpConnection: ~Copyable {
  private let handle: OpaquePointer

  /// - Throws: `DatabaseError`.
  init(path: String) throws {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
    handle = opened
    sqlite3_busy_timeout(handle, Int32(Configuration.busySeconds * 1000))
    _ = offers_disable_checkpoint_on_close(handle)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs statements that give no rows, or whose rows nobody wants.
  func run(_ statements: String) throws {
    try check(sqlite3_exec(handle, statements, nil, nil, nil))
  }

  /// The number that a query's first row begins with; 0 without a row.
  func fetchNumber(_ query: String) throws -> Int64 {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, query, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return sqlite3_column_int64(statement, 0)
    case SQLITE_DONE: return 0
    case let code: throw failure(code)
    }
  }

  /// Hands over the bytes of the whole database, as its file would have them.
  func withImage<Result>(_ body: (UnsafeMutableRawBufferPointer) throws -> Result) throws -> Result
  {
    var count: Int64 = 0
    guard let bytes = sqlite3_serialize(handle, "main", &count, 0) else {
      throw DatabaseError(resultCode: .SQLITE_NOMEM)
    }
    defer { sqlite3_free(bytes) }
    return try body(UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
  }

  private func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw failure(code) }
  }

  private func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(handle)))
  }
}
