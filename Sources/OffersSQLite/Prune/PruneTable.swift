import GRDB
import OffersCore
import OffersStore

/// The SQL that removes offers, changes and runs after the times in `Retention`.
enum PruneTable {
  /// A condition that an offer is a favorite.
  static let isFavorite = """
    EXISTS (
      SELECT 1 FROM feed CROSS JOIN favorite ON favorite.feed = feed.name
      WHERE feed.feed_key = offer.feed_key AND favorite.id = offer.id)
    """

  /// A condition that an offer vanished before a time `?1` and before a run `?2`, is not a favorite,
  /// and may be removed.
  private static let isDoomed = """
    gone_at < ?1 AND NOT \(isFavorite)
    AND offer_key <> (SELECT max(offer_key) FROM offer)
    AND offer_key IS NOT (
      SELECT offer_key FROM change WHERE change_id = (SELECT max(change_id) FROM change))
    AND coalesce((
      SELECT max(run_id) FROM change
      WHERE change.offer_key = offer.offer_key AND kind <> 'new' AND kind = 'gone'), 0) < ?2
    """

  /// Whether `doomedOffers` would return any offer.
  static func hasDoomed(_ bounds: PruneBounds, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM offer WHERE \(isDoomed))",
      arguments: [bounds.gone.seconds, bounds.gone.run]) ?? false
  }

  /// The keys of the offers that are gone for long enough and are not favorites, ascending.
  ///
  /// The newest offer and the offer of the newest change are excluded. SQLite assigns the largest
  /// rowid plus one to the next row, so after their removal a new offer or change would get the
  /// number of a removed one. https://sqlite.org/autoinc.html
  static func doomedOffers(_ bounds: PruneBounds, in database: Database) throws -> [Int64] {
    try Int64.fetchAll(
      database, sql: "SELECT offer_key FROM offer WHERE \(isDoomed)",
      arguments: [bounds.gone.seconds, bounds.gone.run]
    ).sorted()
  }

  /// Removes offers with their details and changes, except for offers that were starred meanwhile
  /// or are not gone since before a time. Their `new` changes stay as long as other history but are no longer reported:
  /// no index finds them, and their row may stand for many offers.
  static func delete(
    _ offers: some Sequence<Int64>, goneBefore seconds: Int64, in database: Database
  ) throws -> PruneCounts {
    let deleteOffer = try database.cachedStatement(
      sql: "DELETE FROM offer WHERE offer_key = ? AND gone_at < ? AND NOT \(isFavorite)")
    let deleteDetail = try database.cachedStatement(
      sql: "DELETE FROM offer_detail WHERE offer_key = ?")
    let deleteFound = try database.cachedStatement(
      sql: "DELETE FROM found_offer WHERE offer_key = ?")
    let deleteOthers = try database.cachedStatement(
      sql: "DELETE FROM change WHERE offer_key = ? AND kind <> 'new'")
    let index = try SearchIndexWriter(database, rebuilds: false)
    var counts = PruneCounts()
    for offerKey in offers {
      try index.willChange(offerKey)
      try deleteOffer.execute(arguments: [offerKey, seconds])
      guard database.changesCount > 0 else {
        index.didKeep(offerKey)
        continue
      }
      counts.offers += 1
      try deleteDetail.execute(arguments: [offerKey])
      try deleteFound.execute(arguments: [offerKey])
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

  /// A row of `change` to be removed.
  struct OldChange {
    let id: Int64
    /// The number of its offers. `offerKey` is the key of the last one.
    let offerCount: Int
    let offerKey: Int64
    let isNew: Bool
  }

  /// The rows of changes to be removed, in order: those that are old or surplus, and concern no
  /// favorite. A row of several offers is kept as long as one of them is a favorite.
  ///
  /// - Parameters:
  ///   - bounds: the bounds of the pruning.
  ///   - after: the exclusive lower bound of change numbers.
  ///   - limit: the maximum number of rows.
  ///   - database: the database to read.
  static func doomedChanges(
    _ bounds: PruneBounds, after: Int64, limit: Int, in database: Database
  ) throws -> [OldChange] {
    try findChanges(
      after: after, through: bounds.through, surplus: bounds.surplus,
      before: bounds.history.seconds, limit: limit, in: database)
  }

  /// Whether a change up to a number concerns no favorite.
  static func hasRemovable(through id: Int64, in database: Database) throws -> Bool {
    try !findChanges(
      after: 0, through: id, surplus: id, before: .min, limit: 1, in: database
    ).isEmpty
  }

  /// The rows of changes that concern no favorite, up to a number `surplus`, or of a run that started
  /// before a time.
  private static func findChanges(
    after: Int64, through: Int64, surplus: Int64, before seconds: Int64, limit: Int,
    in database: Database
  ) throws -> [OldChange] {
    if after >= through { return [] }
    let favorites = try FavoriteQuery.sortedKeys(of: nil, in: database)
    let cursor = try Row.fetchCursor(
      database,
      sql: """
        SELECT change.change_id, change.offer_key, \(ChangeSpan.offerCountSQL), kind = 'new'
        FROM \(ChangeSpan.rows) CROSS JOIN sync_run AS run ON run.run_id = change.run_id
        WHERE change.change_id > ? AND change.change_id <= ?
          AND (change.change_id <= ? OR run.started_at < ?)
        ORDER BY change.change_id
        """, arguments: [after, through, surplus, seconds])
    var changes: [OldChange] = []
    while changes.count < limit, let row = try cursor.next() {
      let key: Int64 = row[1]
      guard favorites.find(upTo: key, count: row[2]).isEmpty else { continue }
      changes.append(
        OldChange(id: row[0], offerCount: row[2], offerKey: key, isNew: row[3]))
    }
    return changes
  }

  static func delete(_ changes: [OldChange], in database: Database) throws {
    for table in ["first_sync", "new_offers", "change"] {
      let statement = try database.cachedStatement(sql: "DELETE FROM \(table) WHERE change_id = ?")
      for change in changes { try statement.execute(arguments: [change.id]) }
    }
  }

  /// The keys of the runs to remove: old ones, and those that changed no offer and are old for such
  /// ones. Kept are the last and the last successful run of each feed, and every run that a change
  /// refers to.
  ///
  /// - Parameters:
  ///   - bounds: the bounds of the pruning. Of the changes after its last one, only the newest is
  ///     looked at.
  ///   - ofFavorites: whether only changes of favorites, and the newest change, keep their runs.
  ///     True for a trial, where the old changes to be removed are still stored.
  ///   - database: the database to read.
  static func doomedRuns(
    _ bounds: PruneBounds, ofFavorites: Bool, in database: Database
  ) throws -> [Int64] {
    let through = bounds.through
    let named = try
      (ofFavorites
      ? ChangeTable.runsOfFavorites(of: nil, through: through, in: database)
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
        WHERE (run_id < ?1 AND started_at < ?2
            OR run_id < ?3 AND started_at < ?4 AND new_count + changed_count + gone_count + back_count = 0)
          AND run_id NOT IN (SELECT max(run_id) FROM sync_run GROUP BY feed_key)
          AND run_id NOT IN (
            SELECT max(run_id) FROM sync_run WHERE outcome IN ('updated', 'unchanged')
            GROUP BY feed_key)
        ORDER BY run_id
        """,
      arguments: [
        bounds.history.run, bounds.history.seconds, bounds.idleRuns.run, bounds.idleRuns.seconds,
      ]
    ).filter { !named.contains($0) }
  }

  static func deleteRuns(_ ids: [Int64], in database: Database) throws {
    for table in ["first_sync", "sync_run"] {
      let statement = try database.cachedStatement(sql: "DELETE FROM \(table) WHERE run_id = ?")
      for id in ids { try statement.execute(arguments: [id]) }
    }
  }
}
