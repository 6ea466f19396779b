import GRDB
import OffersCore

/// The history in a database, as far as it decides what pruning removes.
struct DatabaseHistory: PrunedHistory {
  let database: Database

  func findLastRun(from earliest: Int64, through latest: Int64) throws -> Int64? {
    try Int64.fetchOne(
      database,
      sql: """
        SELECT started_at FROM sync_run WHERE run_id > 0 AND started_at BETWEEN ? AND ?
        ORDER BY run_id DESC LIMIT 1
        """, arguments: [earliest, latest])
  }

  func findFirstRun(from earliest: Int64, through latest: Int64) throws -> Int64? {
    try Int64.fetchOne(
      database,
      sql: """
        SELECT run_id FROM sync_run WHERE run_id > 0 AND started_at BETWEEN ? AND ?
        ORDER BY run_id LIMIT 1
        """, arguments: [earliest, latest])
  }

  /// The newest change, whose number must not be used again, is always after the result.
  func findLastChange(beforeRun run: Int64) throws -> Int64 {
    // Writers are serialized, so change numbers are in the order of runs. The oldest rows are
    // scanned until one belongs to a later run.
    let behind = try Int64.fetchOne(
      database,
      sql: """
        SELECT change_id FROM change WHERE change_id > 0 AND run_id >= ? ORDER BY change_id LIMIT 1
        """, arguments: [run])
    let next = try behind ?? ChangeTable.fetchLastID(in: database)
    return max(0, next.subtracting(clamped: 1))
  }

  func findSurplus(over limit: HistoryLimit) throws -> Int64? {
    try limit.findSurplus(in: database)
  }
}

extension ClockTrust {
  static func find(at seconds: Int64, in database: Database) throws -> ClockTrust {
    try find(at: seconds, in: DatabaseHistory(database: database))
  }
}

extension PruneBounds {
  init(
    countingFrom time: Int64?, goneSeconds: Int64, limit: HistoryLimit, moreSeconds: Int64 = 0,
    in database: Database
  ) throws {
    try self.init(
      countingFrom: time, goneSeconds: goneSeconds, limit: limit, moreSeconds: moreSeconds,
      in: DatabaseHistory(database: database))
  }
}
