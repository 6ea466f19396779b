import GRDB
import OffersCore

/// The SQL that decides whether a pruning is due.
extension PruneTable {
  /// Whether there are too many changes, a vanished offer past its age, or changes, runs or notices
  /// that are at least a day past theirs. The day limits pruning to once a day, although some row
  /// passes its age at nearly every sync.
  ///
  /// Numbers of runs and changes ascend with time, so each query begins at the oldest row and stops
  /// at the first one that is young enough. The rows before it are those that are kept: the last
  /// runs of feeds, runs that changed offers, and the history of favorites.
  ///
  /// - Parameters:
  ///   - time: the time from which ages are counted, in Unix seconds; nil if nothing is old.
  ///   - limit: the bound on the number of changes.
  ///   - database: the database to read.
  static func isDue(
    countingFrom time: Int64?, limit: HistoryLimit, in database: Database
  ) throws -> Bool {
    let bounds = try PruneBounds(
      countingFrom: time, goneSeconds: Retention.vanishedOfferSeconds, limit: limit,
      moreSeconds: Retention.daySeconds, in: database)
    if bounds.surplus > 0 { return true }
    guard let time else { return false }
    return try hasDoomed(bounds, in: database) || hasIdleRun(bounds.idleRuns, in: database)
      || !doomedChanges(bounds, after: 0, limit: 1, in: database).isEmpty
      || hasOldNotice(
        before: time - Retention.noticeSeconds - Retention.daySeconds, now: time, in: database)
  }

  /// Whether an old run changed no offer, and is neither the last nor the last successful one of its
  /// feed. Other runs are removed with the changes of their age.
  private static func hasIdleRun(_ age: PruneBounds.Age, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (
          SELECT 1 FROM sync_run AS run
          WHERE run_id < ? AND started_at < ?
            AND new_count + changed_count + gone_count + back_count = 0
            AND EXISTS (
              SELECT 1 FROM sync_run AS later
              WHERE later.feed_key = run.feed_key AND later.run_id > run.run_id
                AND (run.outcome NOT IN ('updated', 'unchanged')
                  OR later.outcome IN ('updated', 'unchanged'))))
        """, arguments: [age.run, age.seconds]) ?? false
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
