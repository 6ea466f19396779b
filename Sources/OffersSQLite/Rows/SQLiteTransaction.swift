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
    let statement = try RawStatement(cached: sql, database)
    defer { statement.unbind() }
    try statement.bind(values)
    return try statement.run()
  }

  func scan(
    _ sql: String, _ values: [SQLValue], isFrequent: Bool, _ body: (any SQLRow) throws -> Bool
  ) throws {
    let statement = try RawStatement(cached: sql, database)
    defer {
      statement.reset()
      statement.unbind()
    }
    try statement.bind(values)
    while try statement.step(), try body(statement) {}
  }

  func forEach(
    _ sql: String, _ values: [SQLValue], fetchedCount: Int, _ body: (any SQLRow) throws -> Void
  ) throws {
    // Not from the cache, so that `body` may run the same query.
    let statement = try RawStatement(database, sql)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() { try body(statement) }
  }
}

extension RawStatement {
  /// Frees the copies of bound values, which a cached statement would keep.
  fileprivate func unbind() { sqlite3_clear_bindings(handle) }

  /// Binds values to the parameters `$1`, `$2` and so on, which SQLite numbers by their order in the
  /// statement. One that the statement does not use is left out.
  fileprivate func bind(_ values: [SQLValue]) throws {
    for (number, value) in values.enumerated() {
      if value.isUnstorable { throw StoredText.refusal }
      let index = sqlite3_bind_parameter_index(handle, "$\(number + 1)")
      if index == 0 { continue }
      switch value {
      case .number(let number): bind(index, number: number)
      case .real(let real): bind(index, real: real)
      case .flag(let flag): bind(index, number: flag.map { $0 ? 1 : 0 })
      case .text(let text): bind(index, copying: text)
      case .bytes(let bytes): bind(index, copying: bytes)
      case .numbers, .texts, .rows: bind(index, copying: value.jsonList)
      }
    }
  }
}
