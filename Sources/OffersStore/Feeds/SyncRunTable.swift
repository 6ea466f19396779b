import Foundation
import OffersCore

/// The SQL that records sync runs and reads the last of them.
package enum SyncRunTable {
  private static let insertSQL = """
    INSERT INTO sync_run (
      run_id, feed_key, source, started_at, duration_milliseconds, outcome, bytes, new_count,
      changed_count, gone_count, back_count, unchanged_count, skipped_count, mended_count, problems,
      error_code, error_message, error_hint, error_remedy, request_reason, request_count,
      request_status, request_is_conditional)
    VALUES (\((1...23).map { "$\($0)" }.joined(separator: ", ")))
    RETURNING run_id
    """

  /// Records a run.
  ///
  /// - Parameters:
  ///   - run: the run.
  ///   - id: its id; nil for the next one, which an engine with one writer gives.
  ///   - feedKey: the key of its feed.
  ///   - transaction: the transaction of its changes.
  /// - Returns: its id.
  @discardableResult
  package static func insert(
    _ run: SyncRun, id: Int64?, feedKey: Int64, in transaction: any Transaction
  ) throws -> Int64 {
    // Of consecutive runs without a network the last one is kept: there may be hundreds.
    if run.error?.code == .noNetwork {
      try transaction.run(
        """
        DELETE FROM sync_run WHERE error_code = $2
          AND run_id = (SELECT max(run_id) FROM sync_run WHERE feed_key = $1)
        """, [.number(feedKey), .text(OffersError.Code.noNetwork.rawValue)])
    }
    let counts = run.counts
    let numbers = [
      counts.new, counts.changed, counts.gone, counts.back, counts.unchanged, counts.skipped,
      run.mendedCount,
    ]
    return try transaction.first(
      insertSQL,
      [
        .number(id), .number(feedKey), .text(run.source),
        .number(StoredTime.bounded(run.startedAt.storedSeconds)),
        .number(Int64(clamped: run.durationSeconds * 1000)), .text(run.outcome.rawValue),
        .count(run.bytes),
      ] + numbers.map { .count($0) } + [
        .text(ReadProblem.storedText(of: run.problems)), .text(run.error?.code.rawValue),
        .text(StoredText.mended(run.error?.message)),
        .text(StoredText.mended(run.error?.hint?.text)),
        .text(run.error?.hint?.storedCommand), .text(run.request?.reason.rawValue),
        .number(run.request.map { Int64($0.requestCount) }),
        .number(run.request?.status.map(Int64.init)), .flag(run.request?.isConditional),
      ]
    ) { $0.number(0) } ?? 0
  }

  /// Updates a run that was recorded before its offers were written.
  package static func complete(
    _ id: Int64, _ run: SyncRun, in transaction: any Transaction
  ) throws {
    let counts = run.counts
    let numbers = [
      counts.new, counts.changed, counts.gone, counts.back, counts.unchanged, counts.skipped,
    ]
    try transaction.run(
      """
      UPDATE sync_run SET
        new_count = $2, changed_count = $3, gone_count = $4, back_count = $5,
        unchanged_count = $6, skipped_count = $7, problems = $8, duration_milliseconds = $9
      WHERE run_id = $1
      """,
      [.number(id)] + numbers.map { .count($0) } + [
        .text(ReadProblem.storedText(of: run.problems)),
        .number(Int64(clamped: run.durationSeconds * 1000)),
      ])
  }

  /// The columns of the last run of a feed, for `lastJoin`.
  static let lastColumns = """
    run.source, run.started_at, run.duration_milliseconds, run.outcome, run.bytes, run.new_count,
    run.changed_count, run.gone_count, run.back_count, run.unchanged_count, run.skipped_count,
    run.mended_count, run.error_code, run.error_message, run.error_hint, run.error_remedy
    """

  /// The id of the last run of `feed` that had a network; NULL if there is none.
  static let lastAttempt = """
    SELECT max(attempt.run_id) FROM sync_run AS attempt
    WHERE attempt.feed_key = feed.feed_key
      AND attempt.error_code IS DISTINCT FROM '\(OffersError.Code.noNetwork.rawValue)'
    """

  /// The last run of each feed, as `run`, and its last run that succeeded, as `good`.
  static let lastJoin = """
    LEFT JOIN sync_run AS run ON run.run_id = (
      SELECT run_id FROM sync_run WHERE sync_run.feed_key = feed.feed_key
      ORDER BY run_id DESC LIMIT 1)
    LEFT JOIN sync_run AS good ON good.run_id = (
      SELECT run_id FROM sync_run
      WHERE sync_run.feed_key = feed.feed_key AND outcome IN ('updated', 'unchanged')
      ORDER BY run_id DESC LIMIT 1)
    """

  /// The start of the last run of a feed, or of the last one before another, in Unix seconds; nil if
  /// there is none.
  package static func findLastStart(
    feedKey: Int64, before id: Int64 = .max, in transaction: any Transaction
  ) throws -> Int64? {
    try transaction.first(
      """
      SELECT started_at FROM sync_run WHERE feed_key = $1 AND run_id < $2
      ORDER BY run_id DESC LIMIT 1
      """, [.number(feedKey), .number(id)]
    ) { $0.number(0) }
  }

  /// The run in the columns of `lastColumns` from an index on, without the problems of its records and
  /// its requests; nil if the feed never ran.
  static func findRun(_ row: any SQLRow, from column: Int, feed: String) -> SyncRun? {
    guard let source = row.findText(column) else { return nil }
    var counts = SyncCounts()
    counts.new = row.count(column + 5)
    counts.changed = row.count(column + 6)
    counts.gone = row.count(column + 7)
    counts.back = row.count(column + 8)
    counts.unchanged = row.count(column + 9)
    counts.skipped = row.count(column + 10)
    let error = row.findText(column + 13).map { message in
      let code = row.findText(column + 12).flatMap { OffersError.Code(rawValue: $0) }
      let hint = row.findText(column + 14).map {
        Hint($0, storedCommand: row.findText(column + 15))
      }
      return OffersError(code ?? .sourceFailed, message, hint: hint)
    }
    return SyncRun(
      feed: feed, source: source,
      outcome: SyncOutcome(rawValue: row.text(column + 3)) ?? .failed, counts: counts,
      bytes: row.count(column + 4), startedAt: row.date(column + 1),
      durationSeconds: Double(row.number(column + 2)) / 1000, error: error,
      mendedCount: row.count(column + 11)
    ).hidingAddresses()
  }
}

/// The SQL for the hosts that asked for no requests.
enum HostWaitTable {
  /// The most hosts that are kept: those whose waits end last.
  private static let limit = 1000
  /// The longest wait that counts: one beyond it was stored under a clock that was ahead.
  private static let longestSeconds: Int64 = 7 * 86_400 + 1

  static func find(_ mark: String, now: Date, in transaction: any Transaction) throws -> Date? {
    try transaction.first(
      """
      SELECT until FROM host_wait
      WHERE host_mark = $1 AND until > $2 AND until <= $2 + \(longestSeconds)
      """, [.text(mark), .date(now)]
    ) { $0.date(0) }
  }

  static func put(
    _ mark: String, until: Date?, now: Date, in transaction: any Transaction
  ) throws {
    guard let until else {
      try transaction.run("DELETE FROM host_wait WHERE host_mark = $1", [.text(mark)])
      return
    }
    try transaction.run(
      """
      INSERT INTO host_wait (host_mark, until) VALUES ($1, $2)
      ON CONFLICT (host_mark) DO UPDATE SET until = excluded.until
      WHERE host_wait.until NOT BETWEEN excluded.until AND $3 + \(longestSeconds)
      """, [.text(mark), .number(until.nextSeconds), .date(now)])
    try transaction.run(
      """
      DELETE FROM host_wait WHERE until <= $1 OR host_mark IN (
        SELECT host_mark FROM host_wait ORDER BY until DESC, host_mark
        \(transaction.dialect.offset(String(limit))))
      """, [.date(now)])
  }
}

/// The SQL for the fetch state: validators, back-off and due times of a feed's server.
package enum FetchStateTable {
  private static let columns = [
    "etag", "last_modified", "validated_mark", "validated_rules", "full_fetch_at", "next_due_at",
    "wait_until", "failure_count", "failing_since", "stopped_at", "moved_from", "moved_to",
    "moved_count", "held_count", "held_since", "held_new_count", "held_until",
  ]

  /// The columns for a query over `feed_fetch`, which may have no row for a feed.
  static let selection = columns.map { "feed_fetch.\($0)" }.joined(separator: ", ")

  private static let saveSQL = """
    INSERT INTO feed_fetch (feed_key, \(columns.joined(separator: ", ")))
    VALUES (\((1...columns.count + 1).map { "$\($0)" }.joined(separator: ", ")))
    ON CONFLICT (feed_key) DO UPDATE
    SET \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
    """

  /// Inserts or replaces the whole state.
  package static func save(
    _ state: FetchState, feedKey: Int64, in transaction: any Transaction
  ) throws {
    try transaction.run(
      saveSQL,
      [
        .number(feedKey), .text(state.etag), .text(state.lastModified), .text(state.validatedMark),
        .number(state.validatedRules.map { Int64(bitPattern: $0) }), .date(state.fullFetchAt),
        .date(state.nextDueAt), .date(state.waitUntil), .count(state.failureCount),
        .date(state.failingSince), .date(state.stoppedAt), .text(state.movedFrom),
        .text(state.movedTo), .count(state.movedCount), .count(state.held?.missingCount ?? 0),
        .date(state.held?.since), .count(state.held?.waitingCount ?? 0), .date(state.held?.until),
      ])
  }

  package static func delete(feedKey: Int64, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM feed_fetch WHERE feed_key = $1", [.number(feedKey)])
  }

  /// Forgets what the server vouched for, because the stored offers are another document.
  static func forgetValidators(feedKey: Int64, in transaction: any Transaction) throws {
    try transaction.run(
      """
      UPDATE feed_fetch SET
        etag = NULL, last_modified = NULL, validated_mark = NULL, validated_rules = NULL
      WHERE feed_key = $1
      """, [.number(feedKey)])
  }

  /// The state in the columns of `selection` from an index on; the default state if the feed has
  /// none.
  static func state(_ row: any SQLRow, from column: Int) -> FetchState {
    var state = FetchState()
    state.etag = row.findText(column)
    state.lastModified = row.findText(column + 1)
    state.validatedMark = row.findText(column + 2)
    state.validatedRules = row.findNumber(column + 3).map { UInt64(bitPattern: $0) }
    state.fullFetchAt = row.findDate(column + 4)
    state.nextDueAt = row.findDate(column + 5)
    state.waitUntil = row.findDate(column + 6)
    state.failureCount = row.count(column + 7)
    state.failingSince = row.findDate(column + 8)
    state.stoppedAt = row.findDate(column + 9)
    state.movedFrom = row.findText(column + 10)
    state.movedTo = row.findText(column + 11)
    state.movedCount = row.count(column + 12)
    if let since = row.findDate(column + 14) {
      state.held = HeldBack(
        missingCount: row.count(column + 13), waitingCount: row.count(column + 15),
        since: since, until: row.findDate(column + 16))
    }
    return state
  }
}
