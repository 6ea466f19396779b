import GRDB
import GRDBSQLite
import OffersCore
import OffersStore

/// A transaction of a file, in which the statements of `OffersStore` run.
struct SQLiteTransaction: Transaction {
  let database: Database

  init(_ database: Database) { self.database = database }

  var dialect: Dialect { .sqlite }

  @discardableResult
  func run(_ sql: String, _ values: [SQLValue]) throws -> Int {
    let statement = PreparedStatement(try database.cachedStatement(sql: sql))
    defer { statement.clearBindings() }
    try statement.bind(values)
    return try statement.run()
  }

  func scan(
    _ sql: String, _ values: [SQLValue], isFrequent: Bool, _ body: (any SQLRow) throws -> Bool
  ) throws {
    let statement = PreparedStatement(try database.cachedStatement(sql: sql))
    defer { statement.clearBindings() }
    try statement.bind(values)
    try statement.scan(body)
  }

  func forEach(
    _ sql: String, _ values: [SQLValue], fetchedCount: Int, _ body: (any SQLRow) throws -> Void
  ) throws {
    // Not from the cache, so that `body` may run the same query.
    let statement = try PreparedStatement(database, sql)
    try statement.bind(values)
    try statement.scan { row in
      try body(row)
      return true
    }
  }
}

/// A statement of GRDB whose parameters are bound and whose columns are read through SQLite's C interface,
/// because GRDB's arguments and rows box each value. GRDB runs it, and ends it if its task is cancelled.
struct PreparedStatement {
  private let statement: Statement
  fileprivate let handle: OpaquePointer

  init(_ statement: Statement) {
    self.statement = statement
    handle = statement.sqliteStatement
    // GRDB would refuse to run a statement whose parameters it has not bound itself.
    statement.setUncheckedArguments(StatementArguments())
  }

  /// A statement that is not shared by the statement cache.
  init(_ database: Database, _ sql: String) throws {
    self.init(try database.makeStatement(sql: sql))
  }

  @inline(__always)
  func bind(_ index: Int32, _ number: Int64) { sqlite3_bind_int64(handle, index, number) }

  /// Binds a number, or NULL for nil.
  func bind(_ index: Int32, number: Int64?) {
    if let number { bind(index, number) } else { bindNull(index) }
  }

  @inline(__always)
  func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  /// Binds UTF-8 that must stay valid until `run` returns.
  @inline(__always)
  func bind(_ index: Int32, _ text: UnsafeRawBufferPointer?) {
    guard let text, let base = text.baseAddress else { return bindNull(index) }
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

  /// Binds values to the parameters `$1`, `$2` and so on, which SQLite numbers by their order in the
  /// statement. One that the statement does not use is left out.
  func bind(_ values: [SQLValue]) throws {
    for (number, value) in values.enumerated() {
      if value.isUnstorable { throw StoredText.refusal }
      let index = sqlite3_bind_parameter_index(handle, "$\(number + 1)")
      if index != 0 { bind(index, value) }
    }
  }

  private func bind(_ index: Int32, _ value: SQLValue) {
    switch value {
    case .number(let number): bind(index, number: number)
    case .real(let real):
      if let real { sqlite3_bind_double(handle, index, real) } else { bindNull(index) }
    case .flag(let flag): bind(index, number: flag.map { $0 ? 1 : 0 })
    case .text(let text): bind(index, copying: text)
    case .bytes(let bytes): bind(index, copying: bytes)
    case .numbers, .texts, .rows: bind(index, copying: value.jsonList)
    }
  }

  /// Binds values to the parameters `?1`, `?2` and so on, and runs the statement. Returns the number of rows
  /// that it has changed.
  @discardableResult
  func run(_ values: [SQLValue]) throws -> Int {
    for (place, value) in values.enumerated() { bind(Int32(place + 1), value) }
    return try run()
  }

  /// `SQLITE_TRANSIENT`, a macro that is not imported into Swift.
  static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Frees the copies of bound values, which a statement in the cache would keep.
  func clearBindings() { sqlite3_clear_bindings(handle) }

  /// Runs the statement. Returns the number of rows that it has changed.
  @discardableResult
  func run() throws -> Int {
    // Parameters can only be bound after a reset.
    defer { sqlite3_reset(handle) }
    try statement.execute()
    return Int(sqlite3_changes(sqlite3_db_handle(handle)))
  }

  /// Calls `body` with each row until it returns false.
  func scan(_ body: (PreparedStatement) throws -> Bool) throws {
    defer { sqlite3_reset(handle) }
    let rows = try Row.fetchCursor(statement)
    while try rows.next() != nil, try body(self) {}
  }

  /// The result of a call with the first row; nil without a row.
  func first<Result>(_ transform: (PreparedStatement) throws -> Result) throws -> Result? {
    var result: Result?
    try scan { row in
      result = try transform(row)
      return false
    }
    return result
  }
}

/// The row on which the statement stands. SQLite converts a value that is of another type, as in a damaged
/// file.
extension PreparedStatement: SQLRow {
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

  /// Whether a value is a text, and not a number.
  func isText(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_TEXT
  }

  private func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }
}
