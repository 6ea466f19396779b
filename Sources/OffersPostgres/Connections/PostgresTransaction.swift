import OffersCore
import OffersStore
import PostgresShim

/// A transaction of PostgreSQL, in which the statements of `OffersStore` run.
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

/// A value that is bound to a parameter of a statement, in PostgreSQL's binary format.
/// https://www.postgresql.org/docs/current/protocol-message-formats.html
struct Parameter {
  /// The type's number in `pg_type`, which PostgreSQL never changes.
  let type: UInt32
  /// The value's bytes; nil for NULL.
  let encoded: [UInt8]?
  /// Whether the value is a text that PostgreSQL cannot hold, because it has U+0000.
  let isUnstorable: Bool

  private init(_ type: ArrayParameter.Element, _ encoded: [UInt8]?) {
    self.type = type.rawValue
    self.encoded = encoded
    isUnstorable = type == .text && encoded?.contains(0) == true
  }

  init(_ value: SQLValue) {
    self =
      switch value {
      case .number(let number): .number(number)
      case .real(let real): Parameter(.float8, real?.bitPattern.bigEndianBytes)
      case .flag(let flag): Parameter(.bool, flag.map { [$0 ? 1 : 0] })
      case .text(let text): .text(text)
      case .bytes(let bytes): Parameter(.bytea, bytes)
      case .numbers(let numbers): .numbers(numbers)
      case .texts(let texts): .texts(texts)
      // Only SQLite takes rows apart; see `Dialect.table(_:as:first:)`.
      case .rows: .text(nil)
      }
  }

  /// A parameter that is an array of encoded elements.
  init(_ array: ArrayParameter) {
    type = array.element.arrayType
    encoded = array.encoded
    isUnstorable = array.isUnstorable
  }

  static func number(_ value: Int64?) -> Parameter { Parameter(.int8, value?.bigEndianBytes) }
  static func text(_ value: String?) -> Parameter { Parameter(.text, value.map { Array($0.utf8) }) }

  static func numbers(_ values: [Int64?]) -> Parameter {
    var array = ArrayParameter(.int8)
    for value in values { array.append(value) }
    return Parameter(array)
  }

  static func texts(_ values: [String?]) -> Parameter {
    var array = ArrayParameter(.text)
    for value in values { array.append(value) }
    return Parameter(array)
  }
}

/// A one-dimensional array of values of one type, encoded as it grows.
struct ArrayParameter {
  /// The types of elements, by their numbers in `pg_type`.
  enum Element: UInt32 {
    case bool = 16
    case bytea = 17
    case int8 = 20
    case text = 25
    case float8 = 701

    /// The number of the type of arrays of these elements.
    var arrayType: UInt32 {
      switch self {
      case .bool: 1000
      case .bytea: 1001
      case .int8: 1016
      case .text: 1009
      case .float8: 1022
      }
    }
  }

  let element: Element
  private(set) var count = 0
  private(set) var isUnstorable = false
  private var body: [UInt8] = []

  init(_ element: Element) { self.element = element }

  /// The size of the encoded elements, in bytes.
  var byteCount: Int { body.count }

  mutating func append(_ value: Int64?) {
    guard let value else { return appendNull() }
    appendLength(8)
    body.append(bigEndian: UInt64(bitPattern: value))
  }

  mutating func append(_ value: String?) {
    guard var value else { return appendNull() }
    value.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends the bytes of a text or of a `bytea`.
  mutating func append(_ value: UnsafeRawBufferPointer?) {
    guard let value else { return appendNull() }
    appendLength(value.count)
    body.append(contentsOf: value)
    if element == .text, value.contains(0) { isUnstorable = true }
  }

  /// Appends a value of the array's type.
  mutating func append(_ value: SQLValue) {
    guard let bytes = Parameter(value).encoded else { return appendNull() }
    bytes.withUnsafeBytes { append($0) }
  }

  private mutating func appendNull() { appendLength(-1) }

  private mutating func appendLength(_ length: Int) {
    count += 1
    body.append(bigEndian: UInt32(bitPattern: Int32(length)))
  }

  /// Removes all elements and keeps the memory.
  mutating func removeAll() {
    count = 0
    isUnstorable = false
    body.removeAll(keepingCapacity: true)
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + body.count)
    // Dimensions, whether there may be NULL, the type of the elements.
    bytes.append(bigEndian: UInt32(count == 0 ? 0 : 1))
    bytes.append(bigEndian: UInt32(1))
    bytes.append(bigEndian: element.rawValue)
    guard count > 0 else { return bytes }
    // The number of elements and the number of the first.
    bytes.append(bigEndian: UInt32(count))
    bytes.append(bigEndian: UInt32(1))
    bytes += body
    return bytes
  }
}

extension FixedWidthInteger {
  fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}

/// The rows of a result, in PostgreSQL's binary format.
final class Rows {
  private let library: offers_libpq
  private let result: OpaquePointer
  /// The number of rows.
  let count: Int

  /// Takes over a result of libpq.
  init(_ result: OpaquePointer, _ library: offers_libpq) {
    self.result = result
    self.library = library
    count = Int(library.PQntuples(result))
  }

  deinit { library.PQclear(result) }

  subscript(row: Int) -> Row { Row(rows: self, index: Int32(row)) }

  /// The first row; nil without any.
  var first: Row? { count > 0 ? self[0] : nil }

  /// The results of a call for each row, in order.
  func map<Value>(_ transform: (Row) throws -> Value) rethrows -> [Value] {
    try (0..<count).map { try transform(self[$0]) }
  }

  /// The value's bytes, valid as long as the rows; nil for NULL.
  fileprivate func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
    if library.PQgetisnull(result, row, column) != 0 { return nil }
    return UnsafeRawBufferPointer(
      start: library.PQgetvalue(result, row, column),
      count: Int(library.PQgetlength(result, row, column)))
  }
}

/// A row of a result. Its columns are read by their index and as the type that the statement gives
/// them; a value of another type is read as NULL.
struct Row {
  fileprivate let rows: Rows
  fileprivate let index: Int32

  /// The bytes of a column, valid as long as the rows.
  func findBytes(_ column: Int) -> UnsafeRawBufferPointer? {
    rows.bytes(index, Int32(column))
  }

  func findText(_ column: Int) -> String? {
    findBytes(column).map { String(decoding: $0, as: UTF8.self) }
  }

  /// An integer of any width.
  func findNumber(_ column: Int) -> Int64? {
    guard let bytes = findBytes(column) else { return nil }
    switch bytes.count {
    case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    default: return nil
    }
  }

  func findReal(_ column: Int) -> Double? {
    guard let bytes = findBytes(column), bytes.count == 8 else { return nil }
    return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  func flag(_ column: Int) -> Bool { findBytes(column)?.first == 1 }
}

extension Rows {
  /// The number of rows that the statement wrote or read.
  var affectedCount: Int {
    library.PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  /// Whether the statement was one that writes.
  var isWrite: Bool {
    let command = command
    return ["INSERT", "UPDATE", "DELETE"].contains { command.hasPrefix($0) }
  }

  /// Whether the statement has committed a transaction.
  var isCommit: Bool { command == "COMMIT" }

  private var command: String { library.PQcmdStatus(result).map { String(cString: $0) } ?? "" }

  /// The failure that the result tells.
  func failure(isLost: Bool) -> PostgresFailure {
    func field(_ code: Unicode.Scalar) -> String? {
      library.PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }
    // The fields of the code, of the message and of its details.
    let message = [field("M"), field("D")].compactMap(\.self).joined(separator: ". ")
    return PostgresFailure(sqlState: field("C"), message: message, isLost: isLost)
  }
}
