import Foundation
import GRDB
import OffersCore

/// The SQL that records sync runs and reads the last of them.
enum SyncRunTable {
  /// The columns in the order in which `insert` binds them, without the key.
  private static let columns = """
    feed_key, source, started_at, duration_milliseconds, outcome, bytes, new_count, changed_count,
    gone_count, back_count, unchanged_count, skipped_count, mended_count, rows_written, problems,
    error_code, error_message, error_hint, error_remedy
    """

  /// Records a run and returns its key.
  @discardableResult
  static func insert(
    _ run: SyncRun, feedKey: Int64, rowsWritten: Int = 0, in database: Database
  ) throws -> Int64 {
    let counts = run.counts
    try database.cachedStatement(
      sql:
        "INSERT INTO sync_run (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    ).execute(
      arguments: [
        feedKey, run.source, run.startedSeconds,
        Int64(clamped: run.durationSeconds * 1000), run.outcome.rawValue, run.bytes, counts.new,
        counts.changed, counts.gone, counts.back, counts.unchanged, counts.skipped,
        run.mendedCount, rowsWritten, ReadProblem.storedText(of: run.problems),
        run.error?.code.rawValue,
        run.error?.message, run.error?.hint, try run.error?.advice?.step?.storedText,
      ])
    let key = database.lastInsertedRowID
    if let request = run.request {
      try database.cachedStatement(
        sql: """
          INSERT INTO sync_request (run_id, reason, request_count, status, is_conditional)
          VALUES (?, ?, ?, ?, ?)
          """
      ).execute(
        arguments: [
          key, request.reason.rawValue, request.requestCount, request.status,
          request.isConditional,
        ])
    }
    return key
  }

  /// Updates a run that was recorded before its offers were written.
  static func complete(
    _ runKey: Int64, _ run: SyncRun, rowsWritten: Int, in database: Database
  ) throws {
    let counts = run.counts
    try database.execute(
      sql: """
        UPDATE sync_run SET
          duration_milliseconds = ?, new_count = ?, changed_count = ?, gone_count = ?,
          back_count = ?, unchanged_count = ?, skipped_count = ?, rows_written = ?, problems = ?
        WHERE run_id = ?
        """,
      arguments: [
        Int64(clamped: run.durationSeconds * 1000), counts.new, counts.changed, counts.gone,
        counts.back,
        counts.unchanged, counts.skipped, rowsWritten, ReadProblem.storedText(of: run.problems),
        runKey,
      ])
  }

  /// The last run of a feed, without the problems of its records and its requests; nil if it never
  /// ran.
  static func findLast(feedKey: Int64, feed: String, in database: Database) throws -> SyncRun? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT source, started_at, duration_milliseconds, outcome, bytes, new_count, changed_count,
          gone_count, back_count, unchanged_count, skipped_count, mended_count, error_code,
          error_message, error_hint, error_remedy
        FROM sync_run WHERE feed_key = ? ORDER BY run_id DESC LIMIT 1
        """)
    return try Row.fetchOne(statement, arguments: [feedKey]).map { run(from: $0, feed: feed) }
  }

  /// The start of the last run of a feed before another run, in Unix seconds; nil if there is none.
  static func findStart(
    beforeRun runKey: Int64, feedKey: Int64, in database: Database
  ) throws -> Int64? {
    try Int64.fetchOne(
      database,
      sql: """
        SELECT started_at FROM sync_run WHERE feed_key = ? AND run_id < ?
        ORDER BY run_id DESC LIMIT 1
        """, arguments: [feedKey, runKey])
  }

  /// The start of the last successful run.
  static func findLastSuccess(feedKey: Int64, in database: Database) throws -> Date? {
    try findLastGood(feedKey: feedKey, in: database).map { Date(storedSeconds: $0.at) }
  }

  /// The start and the source of the last successful run.
  static func findLastGood(
    feedKey: Int64, in database: Database
  ) throws -> (at: Int64, source: String)? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT started_at, source FROM sync_run
        WHERE feed_key = ? AND outcome IN ('updated', 'unchanged')
        ORDER BY run_id DESC LIMIT 1
        """)
    return try Row.fetchOne(statement, arguments: [feedKey]).map {
      ($0["started_at"], $0["source"])
    }
  }

  private static func run(from row: Row, feed: String) -> SyncRun {
    var counts = SyncCounts()
    counts.new = row["new_count"]
    counts.changed = row["changed_count"]
    counts.gone = row["gone_count"]
    counts.back = row["back_count"]
    counts.unchanged = row["unchanged_count"]
    counts.skipped = row["skipped_count"]
    let error = (row["error_message"] as String?).map { message in
      let code = (row["error_code"] as String?).flatMap { OffersError.Code(rawValue: $0) }
      let advice = (row["error_hint"] as String?).map {
        Advice(stored: $0, step: AdvisedStep(storedText: row["error_remedy"]))
      }
      return OffersError(code ?? .sourceFailed, message, advice: advice)
    }
    return SyncRun(
      feed: feed, source: row["source"],
      outcome: SyncOutcome(rawValue: row["outcome"]) ?? .failed, counts: counts,
      bytes: row["bytes"], startedAt: Date(storedSeconds: row["started_at"]),
      durationSeconds: Double(row["duration_milliseconds"] as Int64) / 1000, error: error,
      mendedCount: row["mended_count"]
    ).hidingStoredAddresses()
  }
}

extension SyncRun {
  /// The start in Unix seconds, as it is stored.
  var startedSeconds: Int64 { StoredTime.bounded(startedAt.storedSeconds) }
}
