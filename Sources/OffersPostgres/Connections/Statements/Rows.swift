import OffersCore
import PostgresShim

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

  /// Whether the statement has committed a transaction. For a `COMMIT` of a failed transaction the server
  /// reports a `ROLLBACK`.
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
