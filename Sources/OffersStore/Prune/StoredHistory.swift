import OffersCore

/// The recorded runs and changes of a store, as far as they decide what pruning removes.
struct StoredHistory {
  private let transaction: any Transaction

  init(_ transaction: any Transaction) { self.transaction = transaction }

  /// The age, in seconds, up to which the last two runs confirm the present time: two weeks, and a day for a
  /// timer that is late. A clock that is ahead by less removes data at most so much too early.
  private static let confirmedSeconds = 15 * Retention.daySeconds
  /// 2020-01-01, which is before the first version of this program. A clock before it was not set, as
  /// that of a machine without a battery, which starts at 1970.
  private static let epochSeconds: Int64 = 1_577_836_800

  /// The time from which the ages of stored data are counted, in Unix seconds, so that a wrong clock removes
  /// nothing before its time.
  ///
  /// A clock that is ahead makes everything look old. So ages are counted from the earlier one of the last two
  /// runs that started at least a day before now, by the same clock, unless both are recent: a clock that jumped is
  /// believed after two more runs on other days, also that of a machine that was off for a year. The numbers of
  /// runs ascend in their order, whatever the clock said.
  func findTime(at now: Int64) throws -> Int64 {
    let starts = try transaction.rows(
      """
      SELECT started_at FROM sync_run WHERE started_at BETWEEN $1 AND $2
      ORDER BY run_id DESC LIMIT 2
      """,
      [
        .number(now < Self.epochSeconds ? .min : Self.epochSeconds),
        .number(now.subtracting(clamped: Retention.daySeconds)),
      ]
    ) { $0.number(0) }
    guard let earliest = starts.min() else { return now }
    return now.subtracting(clamped: earliest) <= Self.confirmedSeconds ? now : earliest
  }

  /// The number of the first run that started within a range of times. Later runs were recorded by a
  /// clock that was ahead, and are passed over.
  func findFirstRun(from earliest: Int64, through latest: Int64) throws -> Int64? {
    try transaction.first(
      """
      SELECT run_id FROM sync_run WHERE started_at BETWEEN $1 AND $2 ORDER BY run_id LIMIT 1
      """, [.number(earliest), .number(latest)]
    ) { $0.number(0) }
  }

  /// The number of the last change before those of a run and of later runs; 0 if there is none.
  func findLastChange(beforeRun run: Int64) throws -> Int64 {
    // Changes are in the order of runs: the oldest rows are read until one belongs to a later run. The sum
    // keeps SQLite from its index on runs, whose entries it would sort.
    let behind = try transaction.first(
      "SELECT change_id FROM change WHERE run_id + 0 >= $1 ORDER BY change_id LIMIT 1",
      [.number(run)]
    ) { $0.number(0) }
    if let behind { return behind.subtracting(clamped: 1) }
    return try ChangeTable.fetchLastID(in: transaction)
  }

  /// The number up to which changes are surplus; nil while there are few enough, or if all older ones
  /// concern favorites.
  func findSurplus(over limit: HistoryLimit) throws -> Int64? {
    let last = try ChangeTable.fetchLastID(in: transaction)
    let count = try findCount(limit)
    // Most databases are below the limit, and need no exact count.
    guard last > count, try PruneTable.hasRemovable(through: last - count, in: transaction) else {
      return nil
    }
    return last - HistoryLimit.left(of: count)
  }

  /// The number of changes to keep. Their size is estimated only if the measure of the engine, which is
  /// read without a scan and is never too small, is larger than the bound.
  private func findCount(_ limit: HistoryLimit) throws -> Int64 {
    let measure = transaction.dialect.historyMeasure
    let most = try transaction.first(measure.mostBytes) { $0.count(0) } ?? 0
    if most <= limit.bytes { return limit.count }
    return limit.count(for: try HistorySize(in: transaction))
  }
}
