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

  func scan(
    _ sql: String, _ values: [SQLValue], isFrequent: Bool, _ body: (any SQLRow) throws -> Bool
  ) throws {
    let parameters = values.map(Parameter.init)
    let rows =
      try isFrequent
      ? connection.rows(prepared: sql, parameters) : connection.rows(sql, parameters)
    for index in 0..<rows.count where try !body(rows[index]) { break }
  }

  func forEach(
    _ sql: String, _ values: [SQLValue], fetchedCount: Int, _ body: (any SQLRow) throws -> Void
  ) throws {
    try connection.forEachRow(sql, values.map(Parameter.init), fetchedCount: fetchedCount, body)
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
      case .number(let number): .number(number)
      case .real(let real): real.map { .real($0) } ?? .null(.float8)
      case .flag(let flag): flag.map { .flag($0) } ?? .null(.bool)
      case .text(let text): .text(text)
      case .bytes(let bytes): bytes.map { .bytes($0) } ?? .null(.bytea)
      case .numbers(let numbers): .numbers(numbers)
      case .texts(let texts): .texts(texts)
      // Only SQLite takes rows apart; see `Dialect.table(_:as:first:)`.
      case .rows: .null(.text)
      }
  }
}
