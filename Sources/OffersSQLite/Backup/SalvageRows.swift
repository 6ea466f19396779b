import GRDB

/// Reads the rows of a table in the order of its integer key, skipping unreadable pages.
///
/// After an unreadable row, the next readable key is found by galloping search: with growing steps,
/// then by bisection. So damaged pages cost only their own rows.
struct SalvageRows {
  private let rows: RawStatement

  /// The maximum step of the first `usualTries` attempts, in keys.
  private static let usualStep: Int64 = 64
  /// The number of attempts after which every `triesBetween`th one doubles the step: a damaged
  /// interior page of the b-tree hides many rows.
  private static let usualTries = 256
  private static let triesBetween = 8

  /// Prepares `sql`, which selects the rows with keys from `?1` on, in key order, with the key as
  /// first column.
  ///
  /// - Throws: if the table is missing.
  init(_ database: Database, _ sql: String) throws {
    rows = try RawStatement(database, sql)
  }

  /// Calls `body` with every readable row.
  ///
  /// - Returns: whether all rows were readable.
  func forEach(_ body: (RawStatement) throws -> Void) throws -> Bool {
    defer { rows.reset() }
    var isWhole = true
    var next = Int64.min
    while true {
      rows.reset()
      rows.bind(1, next)
      // An error means that the row is unreadable, which is expected here.
      while let hasRow = try? rows.step() {
        guard hasRow, rows.number(0) < .max else { return isWhole }
        next = rows.number(0) + 1
        try body(rows)
      }
      isWhole = false
      // Keys are at least 1, so this skips no row.
      guard let readable = findReadable(after: max(0, next)) else { return false }
      next = readable
    }
  }

  /// The first key after an unreadable one from which reading succeeds, at a row or at the end.
  private func findReadable(after unreadable: Int64) -> Int64? {
    var bad = unreadable
    var step: Int64 = 1
    var tries = 0
    while true {
      let (key, overflows) = bad.addingReportingOverflow(step)
      if overflows { return nil }
      if canRead(from: key) { return findBorder(bad, key) }
      bad = key
      tries += 1
      if step < Self.usualStep || tries > Self.usualTries && tries % Self.triesBetween == 0 {
        let (longer, overflows) = step.multipliedReportingOverflow(by: 2)
        if overflows { return nil }
        step = longer
      }
    }
  }

  /// Bisects between an unreadable and a readable key for the first readable one.
  private func findBorder(_ bad: Int64, _ good: Int64) -> Int64 {
    var (bad, good) = (bad, good)
    while good - bad > 1 {
      let middle = bad + (good - bad) / 2
      if canRead(from: middle) { good = middle } else { bad = middle }
    }
    return good
  }

  private func canRead(from key: Int64) -> Bool {
    rows.reset()
    rows.bind(1, key)
    // Any error means that the row is unreadable.
    return (try? rows.step()) != nil
  }
}
