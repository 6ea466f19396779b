import GRDB

/// The rows of a table in the order of its whole-number key, around pages that cannot be read.
///
/// Where a row cannot be read, the next key that can is searched for, first by longer and longer
/// steps, then between the last two. So any number of damaged pages cost the rows on them.
struct SalvageRows {
  private let rows: RawStatement

  /// The longest usual step, in keys: about as many rows as the fullest page holds would take a
  /// dozen steps.
  private static let usualStep: Int64 = 64
  /// How many usual steps are taken before they grow: a damaged page high up in the tree hides many.
  private static let usualTries = 256
  private static let triesBetween = 8

  /// - Parameter sql: selects rows from the key `?1` on, in order, their key first.
  /// - Throws: where there is no such table.
  init(_ database: Database, _ sql: String) throws {
    rows = try RawStatement(database, sql)
  }

  /// Hands over every row that can be read.
  ///
  /// - Returns: whether that was all of them.
  func forEach(_ body: (RawStatement) throws -> Void) throws -> Bool {
    defer { rows.reset() }
    var isWhole = true
    var next = Int64.min
    while true {
      rows.reset()
      rows.bind(1, next)
      // What fails here cannot be read, which is what this is for.
      while let hasRow = try? rows.step() {
        guard hasRow, rows.number(0) < .max else { return isWhole }
        next = rows.number(0) + 1
        try body(rows)
      }
      isWhole = false
      // Nobody gives keys below 1.
      guard let readable = findReadable(after: max(0, next)) else { return false }
      next = readable
    }
  }

  /// The first key behind an unreadable one from which on rows can be read, or there are none.
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

  /// The first key that can be read, between one that cannot and one that can.
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
    // Why it cannot be read does not matter.
    return (try? rows.step()) != nil
  }
}
