import GRDB
import OffersCore

/// The SQL that clears away what nobody needs any more.
enum PruneTable {
  /// An offer to be removed, and by what the row is found that says that it was new.
  struct DoomedOffer: Sendable {
    let key: Int64
    let feedKey: Int64
    let firstSeenAt: Int64
  }

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

  /// The offers that were gone by then and are no favorites, by key.
  ///
  /// The newest offer and that of the newest change are not among them: SQLite gives the number
  /// behind the largest to the next row, and a number given twice would pass for something old.
  static func doomedOffers(goneBefore: Int64, in database: Database) throws -> [DoomedOffer] {
    let cursor = try Row.fetchCursor(
      database,
      sql: """
        SELECT offer_key, feed_key, first_seen_at FROM offer
        WHERE gone_at <= ? AND NOT \(isFavorite)
          AND offer_key <> (SELECT max(offer_key) FROM offer)
          AND offer_key IS NOT (
            SELECT offer_key FROM change WHERE change_id = (SELECT max(change_id) FROM change))
        """, arguments: [goneBefore])
    var doomed: [DoomedOffer] = []
    while let row = try cursor.next() {
      doomed.append(DoomedOffer(key: row[0], feedKey: row[1], firstSeenAt: row[2]))
    }
    return doomed.sorted { $0.key < $1.key }
  }

  /// Removes offers with their details and changes, unless somebody starred one meanwhile or it is
  /// back.
  static func delete(
    _ offers: some Sequence<DoomedOffer>, goneBefore: Int64, in database: Database
  ) throws -> PruneCounts {
    let deleteOffer = try database.cachedStatement(
      sql: "DELETE FROM offer WHERE offer_key = ? AND gone_at <= ? AND NOT \(isFavorite)")
    let deleteDetail = try database.cachedStatement(
      sql: "DELETE FROM offer_detail WHERE offer_key = ?")
    let deleteOthers = try database.cachedStatement(
      sql: "DELETE FROM change WHERE offer_key = ? AND kind <> 'new'")
    var news = try NewChangeSearch(ChangeSearch(database), in: database)
    let index = try SearchIndexWriter(database, rebuilds: false)
    var counts = PruneCounts()
    for offer in offers {
      try index.willChange(offer.key)
      try deleteOffer.execute(arguments: [offer.key, goneBefore])
      guard database.changesCount > 0 else {
        index.didKeep(offer.key)
        continue
      }
      counts.offers += 1
      try deleteDetail.execute(arguments: [offer.key])
      try deleteOthers.execute(arguments: [offer.key])
      counts.changes += database.changesCount
      if let id = try news.find(
        offerKey: offer.key, feedKey: offer.feedKey, firstSeenAt: offer.firstSeenAt)
      {
        try ChangeTable.delete(CollectionOfOne(id), in: database)
        counts.changes += 1
      }
    }
    try index.finish()
    return counts
  }

  /// How many change rows tell of offers.
  static func countChanges(of offers: [DoomedOffer], in database: Database) throws -> Int {
    let statement = try database.cachedStatement(
      sql: "SELECT count(*) FROM change WHERE offer_key = ? AND kind <> 'new'")
    var news = try NewChangeSearch(ChangeSearch(database), in: database)
    return try offers.reduce(0) { count, offer in
      let id = try news.find(
        offerKey: offer.key, feedKey: offer.feedKey, firstSeenAt: offer.firstSeenAt)
      let others = try Int.fetchOne(statement, arguments: [offer.key]) ?? 0
      return count + others + (id == nil ? 0 : 1)
    }
  }

  /// The row up to which changes may tell of something before a time; the newest row, whose number
  /// must not be given again, always lies behind it.
  static func findLastChange(before seconds: Int64, in database: Database) throws -> Int64 {
    let search = try ChangeSearch(database)
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
    return last == 0 ? 0 : min(try search.idBefore(run: last + 1), search.lastID - 1)
  }

  /// Hands over the changes before a time that tell of no favorite, in order: their numbers and
  /// offers' keys.
  ///
  /// - Parameters:
  ///   - after: the change behind which to begin.
  ///   - through: see `findLastChange`.
  static func forEachOldChange(
    before seconds: Int64, after: Int64, through: Int64, limit: Int, in database: Database,
    _ body: (_ id: Int64, _ offerKey: Int64) throws -> Void
  ) throws {
    if after >= through { return }
    let favorites = try FavoriteTable.sortedKeys(in: database)
    let cursor = try Row.fetchCursor(
      database,
      sql: """
        SELECT change.change_id, change.offer_key, \(ChangeTable.offerCount)
        FROM \(ChangeTable.counted) CROSS JOIN sync_run AS run ON run.run_id = change.run_id
        WHERE change.change_id > ?
          AND change.change_id <= (SELECT min(change_id) FROM change WHERE change_id >= ?)
          AND run.started_at < ?
        ORDER BY change.change_id
        """, arguments: [after, through, seconds])
    var left = limit
    while let row = try cursor.next() {
      let (id, offerKey, offerCount): (Int64, Int64, Int64) = (row[0], row[1], row[2])
      let first = max(after, id - offerCount) + 1
      if first > through { return }
      for number in first...min(id, through)
      where !favorites.contains(offerKey - (id - number)) {
        if left == 0 { return }
        left -= 1
        try body(number, offerKey - (id - number))
      }
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
