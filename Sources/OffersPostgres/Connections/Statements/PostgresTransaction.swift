import OffersStore

/// A transaction of a server, in which the statements of `OffersStore` run.
struct PostgresTransaction: Transaction {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  var dialect: Dialect { .postgres }

  @discardableResult
  func run(_ sql: String, _ values: [SQLValue]) throws -> Int {
    try connection.run(sql, values.map(Parameter.init))
  }

  func rows<Value>(
    _ sql: String, _ values: [SQLValue], isFrequent: Bool, _ transform: (any SQLRow) throws -> Value
  ) throws -> [Value] {
    try rows(sql, values, isFrequent: isFrequent).map { try transform($0) }
  }

  func scan(
    _ sql: String, _ values: [SQLValue], isFrequent: Bool, _ body: (any SQLRow) throws -> Bool
  ) throws {
    let rows = try rows(sql, values, isFrequent: isFrequent)
    for index in 0..<rows.count where try !body(rows[index]) { break }
  }

  func forEach(
    _ sql: String, _ values: [SQLValue], fetchedCount: Int, _ body: (any SQLRow) throws -> Void
  ) throws {
    try connection.forEachRow(sql, values.map(Parameter.init), fetchedCount: fetchedCount, body)
  }

  private func rows(_ sql: String, _ values: [SQLValue], isFrequent: Bool) throws -> Rows {
    let parameters = values.map(Parameter.init)
    return try isFrequent
      ? connection.rows(prepared: sql, parameters) : connection.rows(sql, parameters)
  }
}

extension Row: SQLRow {
  func findUTF8(_ column: Int) -> UnsafeRawBufferPointer? { findBytes(column) }
  func findBlob(_ column: Int) -> [UInt8]? { findBytes(column).map { Array($0) } }
}

extension Parameter {
  fileprivate init(_ value: SQLValue) {
    self =
      switch value {
      case .number(let number): number.map { .number($0) } ?? .missing(.int8)
      case .real(let real): real.map { .real($0) } ?? .missing(.float8)
      case .flag(let flag): flag.map { .flag($0) } ?? .missing(.bool)
      case .text(let text): text.map { .text($0) } ?? .missing(.text)
      case .bytes(let bytes): bytes.map { .bytes($0) } ?? .missing(.bytea)
      case .numbers(let numbers): .numbers(numbers)
      case .texts(let texts): .texts(texts)
      case .optionalNumbers(let numbers): .optionalNumbers(numbers)
      case .optionalTexts(let texts): .optionalTexts(texts)
      // Only SQLite takes rows apart; see `Dialect.table(_:as:first:)`.
      case .rows: .null
      }
  }
}
