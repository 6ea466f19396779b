import GRDB

/// A row beside another one, looked up by its key. It may be lost where that one is not.
struct SalvagedDetail {
  private let row: RawStatement?

  /// - Parameter sql: selects a row by the key `?1`.
  init(_ database: Database, _ sql: String) {
    // A table that is not there has no such rows.
    row = try? RawStatement(database, sql)
  }

  /// Hands over the row where there is one.
  ///
  /// - Returns: whether that is known: false where it cannot be read.
  func read(_ key: Int64, _ body: (RawStatement) -> Void) -> Bool {
    guard let row else { return false }
    defer { row.reset() }
    row.bind(1, key)
    // Why it cannot be read does not matter.
    guard let isThere = try? row.step() else { return false }
    if isThere { body(row) }
    return true
  }
}
