import GRDB

/// Looks up a row of a second table by key; the row may be unreadable although the first table's
/// row is readable.
struct SalvagedDetail {
  private let row: RawStatement?

  /// - Parameter sql: selects a row by its key `?1`.
  init(_ database: Database, _ sql: String) {
    // A missing table has no such rows.
    row = try? RawStatement(database, sql)
  }

  /// Calls `body` with the row, if there is one.
  ///
  /// - Returns: false if the row is unreadable.
  func read(_ key: Int64, _ body: (RawStatement) -> Void) -> Bool {
    guard let row else { return false }
    defer { row.reset() }
    row.bind(1, key)
    // Any error means that the row is unreadable.
    guard let isThere = try? row.step() else { return false }
    if isThere { body(row) }
    return true
  }
}
