import OffersCore

/// The history in the database, as far as it decides what pruning removes.
struct StoredHistory: PrunedHistory {
  let connection: Connection

  func findLastRun(from earliest: Int64, through latest: Int64) throws -> Int64? {
    try connection.rows(
      """
      SELECT started_at FROM sync_run WHERE started_at BETWEEN $1 AND $2
      ORDER BY run_id DESC LIMIT 1
      """, [.number(earliest), .number(latest)]
    ).first?.number(0)
  }

  func findFirstRun(from earliest: Int64, through latest: Int64) throws -> Int64? {
    try connection.rows(
      """
      SELECT run_id FROM sync_run WHERE started_at BETWEEN $1 AND $2 ORDER BY run_id LIMIT 1
      """, [.number(earliest), .number(latest)]
    ).first?.number(0)
  }

  func findLastChange(beforeRun run: Int64) throws -> Int64 {
    // Changes are in the order of runs. The oldest rows are scanned until one belongs to a later run.
    let behind = try connection.rows(
      "SELECT change_id FROM change WHERE run_id >= $1 ORDER BY change_id LIMIT 1",
      [.number(run)]
    ).first?.number(0)
    if let behind { return behind - 1 }
    return try ChangeTable.fetchLastID(in: connection)
  }

  func findSurplus(over limit: HistoryLimit) throws -> Int64? {
    let last = try ChangeTable.fetchLastID(in: connection)
    let count = try findCount(limit)
    // Most databases are below the limit, and need no exact count.
    guard last > count, try PruneTable.hasRemovable(through: last - count, in: connection) else {
      return nil
    }
    return last - HistoryLimit.left(of: count)
  }

  /// The number of changes to keep. Their size is estimated only if the whole table is larger than the
  /// bound: its free space counts as well.
  private func findCount(_ limit: HistoryLimit) throws -> Int64 {
    let size = try connection.rows("SELECT pg_total_relation_size('change')").first?.number(0) ?? 0
    if size <= limit.bytes { return limit.count }
    return limit.count(for: try HistorySize(in: connection))
  }
}

extension HistorySize {
  /// The number of changes that are read for the estimate.
  private static let sampleCount = 1000
  /// The size of a row without its fields, and of its entries in the indexes.
  private static let rowBytes: Int64 = 160

  /// Counts the changes by the estimate of the database, if that has one, and estimates their size from
  /// the newest.
  init(in connection: Connection) throws {
    let estimate = try connection.rows(
      "SELECT reltuples::bigint FROM pg_class WHERE oid = 'change'::regclass"
    ).first?.number(0)
    var count = estimate ?? 0
    if count < Int64(Self.sampleCount) * 100 {
      count = try connection.rows("SELECT count(*) FROM change").first?.number(0) ?? 0
    }
    let sample = try connection.rows(
      """
      SELECT coalesce(sum(octet_length(fields)), 0)::bigint, count(*) FROM (
        SELECT fields FROM change ORDER BY change_id DESC LIMIT \(Self.sampleCount)) AS newest
      """
    ).first
    let (bytes, rows) = (sample?.number(0) ?? 0, sample?.number(1) ?? 0)
    let average = rows == 0 ? 0 : Double(bytes) / Double(rows) + Double(Self.rowBytes)
    self.init(
      count: Int(count), bytes: Int(average * Double(count)),
      limit: Int(HistoryLimit.standard.count), maximumBytes: HistoryLimit.standard.bytes)
  }
}
