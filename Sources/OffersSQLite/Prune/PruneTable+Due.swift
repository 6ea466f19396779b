import GRDB

/// The SQL that decides whether a pruning is due.
extension PruneTable {
  /// Whether changes, runs or notices are at least a day past the ages in `Retention`. The day
  /// limits pruning to once a day, although some row passes its age at nearly every sync.
  ///
  /// Numbers of runs and changes ascend with time, so each query begins at the oldest row and stops
  /// at the first one that is young enough. The rows before it are those that are kept: the last
  /// runs of feeds, runs that changed offers, and the history of favorites. If a clock that was set
  /// back hides an old row behind a young one, the row waits until another one is due.
  static func hasOldHistory(at now: Int64, in database: Database) throws -> Bool {
    let day = Retention.daySeconds
    return try hasOldRun(before: now - Retention.idleRunSeconds - day, in: database)
      || hasOldChange(before: now - Retention.historySeconds - day, in: database)
      || hasOldNotice(before: now - Retention.noticeSeconds - day, now: now, in: database)
  }

  /// Whether a run started before a time, changed no offer, and is neither the last nor the last
  /// successful one of its feed. Other runs are removed with the changes of their age.
  private static func hasOldRun(before seconds: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (
          SELECT 1 FROM sync_run AS run
          WHERE run_id < ifnull(
              (SELECT run_id FROM sync_run WHERE started_at >= ?1 ORDER BY run_id LIMIT 1),
              9223372036854775807)
            AND new_count + changed_count + gone_count + back_count = 0
            AND EXISTS (
              SELECT 1 FROM sync_run AS later
              WHERE later.feed_key = run.feed_key AND later.run_id > run.run_id
                AND (run.outcome NOT IN ('updated', 'unchanged')
                  OR later.outcome IN ('updated', 'unchanged'))))
        """, arguments: [seconds]) ?? false
  }

  /// Whether a change of a run that started before a time concerns no favorite.
  private static func hasOldChange(before seconds: Int64, in database: Database) throws -> Bool {
    let young = try Int64.fetchOne(
      database,
      sql: """
        SELECT change.change_id FROM change CROSS JOIN sync_run AS run ON run.run_id = change.run_id
        WHERE run.started_at >= ? ORDER BY change.change_id LIMIT 1
        """, arguments: [seconds])
    // The newest change is never removed.
    let through = try (young ?? ChangeTable.fetchLastID(in: database)) - 1
    let first = try Int64.fetchOne(database, sql: "SELECT min(change_id) FROM change") ?? 0
    guard first <= through else { return false }
    return try !oldChanges(before: seconds, after: 0, through: through, limit: 1, in: database)
      .isEmpty
  }

  /// Whether `NoticeTable.prune` would delete a notice. Only favorites that expire and feeds that
  /// fail have any, so there are few.
  private static func hasOldNotice(
    before seconds: Int64, now: Int64, in database: Database
  ) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM notice WHERE told_at < ? AND about < ?)",
      arguments: [seconds, now]) ?? false
  }
}
