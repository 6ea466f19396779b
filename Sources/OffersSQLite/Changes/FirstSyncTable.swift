import GRDB

/// The SQL for the first syncs of feeds, each of which is one entry among the changes.
///
/// The changes of the kind `new` of such a run are not reported one by one. The entry has the number
/// of the last of them, so nothing appears behind a cursor.
enum FirstSyncTable {
  /// Joins a change with the first sync that it belongs to.
  static let join = """
    LEFT JOIN first_sync AS first ON first.run_id = change.run_id AND change.kind = 'new'
    """

  static func insert(
    runKey: Int64, lastChangeID: Int64, offerCount: Int, in database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO first_sync (run_id, change_id, offer_count) VALUES (?, ?, ?)",
      arguments: [runKey, lastChangeID, offerCount])
  }

  /// The feed and the number of offers of the first sync whose entry has a change number.
  static func find(_ changeID: Int64, in database: Database) throws -> (feed: String, count: Int)? {
    try Row.fetchOne(
      database,
      sql: """
        SELECT feed.name, first_sync.offer_count FROM first_sync
        JOIN sync_run USING (run_id) JOIN feed USING (feed_key) WHERE first_sync.change_id = ?
        """, arguments: [changeID]
    ).map { ($0[0], $0[1]) }
  }

  /// Derives the table from the runs and changes, after an import: the first run of each feed that
  /// found offers and knew none. The sample does not count for a feed that has another source.
  static func derive(in database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM first_sync;
        INSERT INTO first_sync (run_id, change_id, offer_count)
        SELECT run.run_id, max(change.change_id), run.new_count
        FROM main.change CROSS JOIN main.sync_run AS run ON run.run_id = change.run_id
        WHERE change.kind = 'new'
          AND change.run_id IN (
            SELECT coalesce(
              min(CASE WHEN source <> 'sample' THEN run_id END), min(run_id))
            FROM main.sync_run
            WHERE new_count > 0 AND instr(source, '{query}') = 0 GROUP BY feed_key)
          AND run.changed_count + run.back_count + run.unchanged_count = 0
        GROUP BY run.run_id
        """)
  }
}
