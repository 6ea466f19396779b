import GRDB
import OffersCore

/// The SQL that removes offers, changes and runs after the times in `Retention`.
enum PruneTable {
  /// A condition that an offer is a favorite.
  private static let isFavorite = """
    EXISTS (
      SELECT 1 FROM feed CROSS JOIN favorite ON favorite.feed = feed.name
      WHERE feed.feed_key = offer.feed_key AND favorite.id = offer.id)
    """

  /// Whether `doomedOffers` would return any offer.
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

  /// The keys of the offers that were gone at the time `goneBefore` and are not favorites,
  /// ascending.
  ///
  /// The newest offer and the offer of the newest change are excluded. SQLite assigns the largest
  /// rowid plus one to the next row, so after their removal a new offer or change would get the
  /// number of a removed one. https://sqlite.org/autoinc.html
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

  /// Removes offers with their details and changes, except for offers that were starred or came
  /// back meanwhile. Their `new` changes stay as long as other history but are no longer reported:
  /// no index finds them, and their row may stand for many offers.
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

  /// The number of changes that `delete` removes together with the given offers.
  static func countChanges(of offers: [Int64], in database: Database) throws -> Int {
    let statement = try database.cachedStatement(
      sql: "SELECT count(*) FROM change WHERE offer_key = ? AND kind <> 'new'")
    return try offers.reduce(0) {
      $0 + (try Int.fetchOne(statement, arguments: [$1]) ?? 0)
    }
  }

  /// The number of the last change that may be older than a time; 0 if there is none. The newest
  /// change, whose number must not be reused, is always after it.
  static func findLastChange(before seconds: Int64, in database: Database) throws -> Int64 {
    let runs = try Row.fetchCursor(
      database,
      sql: "SELECT run_id, started_at FROM sync_run WHERE run_id > ? ORDER BY run_id",
      arguments: [0])
    var last: Int64 = 0
    while let run = try runs.next() {
      let startedAt: Int64 = run["started_at"]
      // Check all runs, because the clock may have jumped.
      if startedAt < seconds { last = run["run_id"] }
    }
    if last == 0 { return 0 }
    // Writers are serialized, so change numbers are in the order of runs. The oldest rows are
    // scanned until one belongs to a later run.
    let behind = try Int64.fetchOne(
      database,
      sql: """
        SELECT change_id FROM change WHERE change_id > 0 AND run_id > ? ORDER BY change_id LIMIT 1
        """, arguments: [last])
    return try (behind ?? ChangeTable.fetchLastID(in: database)) - 1
  }

  /// A row of `change` to be removed.
  struct OldChange {
    let id: Int64
    /// The number of its offers. `offerKey` is the key of the last one.
    let offerCount: Int
    let offerKey: Int64
    let isNew: Bool
  }

  /// The rows of changes before a time that concern no favorite, in order. A row of several offers
  /// is kept as long as one of them is a favorite.
  ///
  /// - Parameters:
  ///   - seconds: the time before which the run of a change started.
  ///   - after: the exclusive lower bound of change numbers.
  ///   - through: see `findLastChange`.
  ///   - limit: the maximum number of rows.
  ///   - database: the database to read.
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

  /// The keys of the runs to remove: those that started before `old`, and those that started before
  /// `idle` and changed no offer. Kept are the last and the last successful run of each feed, and
  /// every run that a change refers to.
  ///
  /// - Parameters:
  ///   - old: the time before which every run is old.
  ///   - idle: the time before which a run that changed no offer is old.
  ///   - through: see `findLastChange`. Of the changes after it, only the newest one is looked at.
  ///   - ofFavorites: whether only changes of favorites, and the newest change, keep their runs.
  ///     True for a trial, where the old changes to be removed are still stored.
  ///   - database: the database to read.
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
