import GRDB
import OffersCore

/// The SQL that clears away what nobody needs any more.
enum PruneTable {
  /// Of an offer's row: whether it is a favorite.
  private static let isFavorite = """
    EXISTS (
      SELECT 1 FROM feed CROSS JOIN favorite ON favorite.feed = feed.name
      WHERE feed.feed_key = offer.feed_key AND favorite.id = offer.id)
    """

  /// Whether there are offers that were gone by then and are no favorites.
  static func hasDoomed(goneBefore: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (
          SELECT 1 FROM offer WHERE gone_at <= ? AND NOT \(isFavorite)
            AND offer_key <> (SELECT max(offer_key) FROM offer)
            AND offer_key IS NOT (
              SELECT offer_key FROM change
              WHERE change_id = (SELECT max(change_id) FROM change)))
        """, arguments: [goneBefore]) ?? false
  }

  /// The keys of the offers that were gone by then and are no favorites, ascending.
  ///
  /// The newest offer and that of the newest change are not among them: SQLite gives the number
  /// behind the largest to the next row, and a number given twice would pass for something old.
  static func doomedOffers(goneBefore: Int64, in database: Database) throws -> [Int64] {
    try Int64.fetchAll(
      database,
      sql: """
        SELECT offer_key FROM offer
        WHERE gone_at <= ? AND NOT \(isFavorite)
          AND offer_key <> (SELECT max(offer_key) FROM offer)
          AND offer_key IS NOT (
            SELECT offer_key FROM change WHERE change_id = (SELECT max(change_id) FROM change))
        """, arguments: [goneBefore]
    ).sorted()
  }

  /// Removes offers with their details and changes, unless somebody starred one meanwhile or it is
  /// back. That one was new stays on record as long as other history does, and is told to nobody: no
  /// index has it, and the row may be one of many offers.
  static func delete(
    _ offers: some Sequence<Int64>, goneBefore: Int64, in database: Database
  ) throws -> PruneCounts {
    let deleteOffer = try database.cachedStatement(
      sql: "DELETE FROM offer WHERE offer_key = ? AND gone_at <= ? AND NOT \(isFavorite)")
    let deleteDetail = try database.cachedStatement(
      sql: "DELETE FROM offer_detail WHERE offer_key = ?")
    let deleteOthers = try database.cachedStatement(
      sql: "DELETE FROM change WHERE offer_key = ? AND kind <> 'new'")
    let index = try SearchIndexWriter(database, rebuilds: false)
    var counts = PruneCounts()
    for offerKey in offers {
      try index.willChange(offerKey)
      try deleteOffer.execute(arguments: [offerKey, goneBefore])
      guard database.changesCount > 0 else {
        index.didKeep(offerKey)
        continue
      }
      counts.offers += 1
      try deleteDetail.execute(arguments: [offerKey])
      try deleteOthers.execute(arguments: [offerKey])
      counts.changes += database.changesCount
    }
    try index.finish()
    return counts
  }

  /// How many changes go with offers.
  static func countChanges(of offers: [Int64], in database: Database) throws -> Int {
    let statement = try database.cachedStatement(
      sql: "SELECT count(*) FROM change WHERE offer_key = ? AND kind <> 'new'")
    return try offers.reduce(0) {
      $0 + (try Int.fetchOne(statement, arguments: [$1]) ?? 0)
    }
  }

  /// The row up to which changes may tell of something before a time; the newest row, whose number
  /// must not be given again, always lies behind it.
  static func findLastChange(before seconds: Int64, in database: Database) throws -> Int64 {
    let runs = try Row.fetchCursor(
      database,
      sql: "SELECT run_id, started_at FROM sync_run WHERE run_id > ? ORDER BY run_id",
      arguments: [0])
    var last: Int64 = 0
    while let run = try runs.next() {
      let startedAt: Int64 = run["started_at"]
      // All are looked at, for a clock may have jumped.
      if startedAt < seconds { last = run["run_id"] }
    }
    if last == 0 { return 0 }
    // One writer at a time numbers the rows, so they are in the order of their runs. The oldest are
    // read until one is behind.
    let behind = try Int64.fetchOne(
      database,
      sql: """
        SELECT change_id FROM change WHERE change_id > 0 AND run_id > ? ORDER BY change_id LIMIT 1
        """, arguments: [last])
    return try (behind ?? ChangeTable.fetchLastID(in: database)) - 1
  }

  /// A row of changes to be removed.
  struct OldChange {
    let id: Int64
    /// Of how many offers it tells, the last of which has this key.
    let offerCount: Int
    let offerKey: Int64
    let isNew: Bool
  }

  /// The rows of changes before a time that tell of no favorite, in order. One that tells of several
  /// offers goes with the last favorite among them.
  ///
  /// - Parameters:
  ///   - after: the row behind which to begin.
  ///   - through: see `findLastChange`.
  ///   - limit: how many rows at most.
  static func oldChanges(
    before seconds: Int64, after: Int64, through: Int64, limit: Int, in database: Database
  ) throws -> [OldChange] {
    let favorites = try FavoriteTable.sortedKeys(in: database)
    let cursor = try Row.fetchCursor(
      database,
      sql: """
        SELECT change.change_id, change.offer_key, \(ChangeSpan.offerCountSQL), kind = 'new'
        FROM \(ChangeSpan.rows) CROSS JOIN sync_run AS run ON run.run_id = change.run_id
        WHERE change.change_id > ? AND change.change_id <= ? AND run.started_at < ?
        ORDER BY change.change_id
        """, arguments: [after, through, seconds])
    var changes: [OldChange] = []
    while changes.count < limit, let row = try cursor.next() {
      let (key, count): (Int64, Int64) = (row[1], row[2])
      guard favorites.find(upTo: key, count: count).isEmpty else { continue }
      changes.append(
        OldChange(id: row[0], offerCount: Int(count), offerKey: key, isNew: row[3]))
    }
    return changes
  }

  static func delete(_ changes: [OldChange], in database: Database) throws {
    for table in ["new_offers", "change"] {
      let statement = try database.cachedStatement(sql: "DELETE FROM \(table) WHERE change_id = ?")
      for change in changes { try statement.execute(arguments: [change.id]) }
    }
  }

  /// The runs that nothing needs: before `old` those that no change names, and before `idle` those
  /// without changes, the last run and the last good one of each feed aside.
  ///
  /// - Parameters:
  ///   - through: up to where the changes stand that may name a run before `old`.
  ///   - ofFavorites: count only what tells of favorites as such a change.
  static func doomedRuns(
    old: Int64, idle: Int64, through: Int64, ofFavorites: Bool, in database: Database
  ) throws -> [Int64] {
    let named = try
      (ofFavorites
      ? ChangeTable.runsOfFavorites(through: through, in: database)
      : Set(
        Int64.fetchCursor(
          database, sql: "SELECT run_id FROM change WHERE change_id <= ?", arguments: [through])))
      .union(
        Int64.fetchAll(
          database,
          sql: "SELECT run_id FROM change WHERE change_id = (SELECT max(change_id) FROM change)"))
    return try Int64.fetchAll(
      database,
      sql: """
        SELECT run_id FROM sync_run
        WHERE (started_at < ?1
            OR started_at < ?2 AND new_count + changed_count + gone_count + back_count = 0)
          AND run_id NOT IN (SELECT max(run_id) FROM sync_run GROUP BY feed_key)
          AND run_id NOT IN (
            SELECT max(run_id) FROM sync_run WHERE outcome IN ('updated', 'unchanged')
            GROUP BY feed_key)
        ORDER BY run_id
        """, arguments: [old, idle]
    ).filter { !named.contains($0) }
  }

  static func deleteRuns(_ ids: [Int64], in database: Database) throws {
    for table in ["sync_request", "sync_run"] {
      let statement = try database.cachedStatement(sql: "DELETE FROM \(table) WHERE run_id = ?")
      for id in ids { try statement.execute(arguments: [id]) }
    }
  }
}
