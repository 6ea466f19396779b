import GRDB
import GRDBSQLite
import OffersStore

/// A prepared statement driven through SQLite's C interface, for statements that run once per row:
/// it avoids GRDB's boxing of each value.
struct RawStatement {
  private let statement: Statement
  private let connection: OpaquePointer?
  let handle: OpaquePointer

  init(_ database: Database, _ sql: String) throws {
    statement = try database.makeStatement(sql: sql)
    handle = statement.sqliteStatement
    connection = database.sqliteConnection
  }

  /// A statement from the connection's statement cache.
  init(cached sql: String, _ database: Database) throws {
    statement = try database.cachedStatement(sql: sql)
    handle = statement.sqliteStatement
    connection = database.sqliteConnection
  }

  @inline(__always)
  func bind(_ index: Int32, _ number: Int64) { sqlite3_bind_int64(handle, index, number) }

  /// Binds a number, or NULL for nil.
  func bind(_ index: Int32, number: Int64?) {
    if let number { bind(index, number) } else { bindNull(index) }
  }

  /// Binds a number, or NULL for nil.
  func bind(_ index: Int32, real: Double?) {
    if let real { sqlite3_bind_double(handle, index, real) } else { bindNull(index) }
  }

  @inline(__always)
  func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  /// Binds UTF-8 that must stay valid until `run` returns.
  @inline(__always)
  func bind(_ index: Int32, _ text: UnsafeRawBufferPointer?) {
    guard let text, let base = text.baseAddress else {
      sqlite3_bind_null(handle, index)
      return
    }
    sqlite3_bind_text(
      handle, index, base.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
  }

  /// Binds a text that SQLite copies.
  func bind(_ index: Int32, copying text: String?) {
    guard var text else { return bindNull(index) }
    text.withUTF8 {
      _ = sqlite3_bind_text64(
        handle, index, $0.baseAddress, UInt64($0.count), Self.transient, UInt8(SQLITE_UTF8))
    }
  }

  /// Binds bytes that must stay valid until `run` returns.
  func bind(_ index: Int32, bytes: UnsafeRawBufferPointer) {
    sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil)
  }

  /// Binds bytes that SQLite copies.
  func bind(_ index: Int32, copying bytes: [UInt8]?) {
    guard let bytes else { return bindNull(index) }
    // Without an address the value would be NULL.
    if bytes.isEmpty {
      sqlite3_bind_zeroblob(handle, index, 0)
      return
    }
    bytes.withUnsafeBytes {
      _ = sqlite3_bind_blob64(
        handle, index, $0.baseAddress, UInt64($0.count), Self.transient)
    }
  }

  /// `SQLITE_TRANSIENT`, a macro that is not imported into Swift.
  static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Runs the statement to completion and resets it. Returns the number of rows it changed.
  @inline(__always)
  @discardableResult
  func run() throws -> Int {
    let code = sqlite3_step(handle)
    guard code == SQLITE_DONE else {
      let error = failure(code)
      sqlite3_reset(handle)
      throw error
    }
    let count = Int(sqlite3_changes(connection))
    sqlite3_reset(handle)
    return count
  }

  /// Steps to the next row. Returns false after the last one; the caller calls `reset` in either
  /// case.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code)
    }
  }

  private func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code),
      message: sqlite3_errmsg(connection).map { String(cString: $0) })
  }

  func reset() { sqlite3_reset(handle) }
}

/// The row on which the statement stands. SQLite converts a value that is of another type, as in a damaged
/// file.
extension RawStatement: SQLRow {
  @inline(__always)
  func findUTF8(_ column: Int) -> UnsafeRawBufferPointer? {
    sqlite3_column_text(handle, Int32(column)).map {
      UnsafeRawBufferPointer(start: $0, count: Int(sqlite3_column_bytes(handle, Int32(column))))
    }
  }

  func findText(_ column: Int) -> String? {
    findUTF8(column).map { String(decoding: $0, as: UTF8.self) }
  }

  func findBlob(_ column: Int) -> [UInt8]? {
    if isNull(column) { return nil }
    guard let start = sqlite3_column_blob(handle, Int32(column)) else { return [] }
    return [UInt8](
      UnsafeRawBufferPointer(
        start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }

  func findNumber(_ column: Int) -> Int64? { isNull(column) ? nil : number(column) }

  /// An integer; 0 for NULL.
  @inline(__always)
  func number(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

  func findReal(_ column: Int) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(handle, Int32(column))
  }

  func flag(_ column: Int) -> Bool { number(column) != 0 }

  private func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }
}
