/// Long results in bounded memory.
extension Connection {
  /// Calls `body` with each row of a query, which is read through a cursor. The connection must be in a
  /// transaction.
  ///
  /// - Parameters:
  ///   - sql: the query.
  ///   - parameters: its parameters.
  ///   - fetchedCount: the number of rows that are in memory at once.
  ///   - body: may run other statements.
  func forEachRow(
    _ sql: String, _ parameters: [Parameter] = [], fetchedCount: Int = 2000,
    _ body: (Row) throws -> Void
  ) throws {
    cursorCount += 1
    defer { cursorCount -= 1 }
    let cursor = "cursor_\(cursorCount)"
    try run("DECLARE \(cursor) NO SCROLL CURSOR FOR \(sql)", parameters)
    while true {
      // Not by `script`, whose results are texts.
      let rows = try rows("FETCH \(fetchedCount) FROM \(cursor)")
      for index in 0..<rows.count { try body(rows[index]) }
      if rows.count < fetchedCount { break }
    }
    try script("CLOSE \(cursor)")
  }
}
