import GRDB

/// Looks up, by key, a row that completes a row of another table, such as the details of an offer.
/// It may be unreadable although the other one is readable.
struct SalvagedDetail {
  private let row: RawStatement?

  /// Prepares `sql`, which selects the row with the key `?1`. If its table is missing, every row
  /// counts as unreadable.
  init(_ database: Database, _ sql: String) {
    // A missing table is no error here; `read` returns false then.
    row = try? RawStatement(database, sql)
  }

  /// Calls `body` with the row, if there is one.
  ///
  /// - Returns: false if the row is unreadable or its table is missing; true if there is no such
  ///   row.
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
