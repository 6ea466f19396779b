import OffersCore
import OffersStore

/// The SQL that removes offers, changes and runs after the times in `Retention`.
enum PruneTable {
  /// A condition that an offer vanished before a time `$1` and before a run `$2`, or was last found by a
  /// search before that time, and is nobody's favorite.
  private static let isDoomed = """
    (offer.gone_at < $1 OR offer.found_at < $1) AND NOT \(OfferColumns.isStarred)
    AND coalesce((
      SELECT max(change.run_id) FROM change
      WHERE change.offer_key = offer.offer_key AND change.kind = 'gone'), 0) < $2
    """

  static func hasDoomed(_ bounds: PruneBounds, in connection: Connection) throws -> Bool {
    try connection.rows(
      "SELECT 1 FROM \(OfferColumns.tables) WHERE \(isDoomed) LIMIT 1",
      [.number(bounds.gone.seconds), .number(bounds.gone.run)]
    ).count > 0
  }

  /// Removes some of the offers that are gone for long enough, with their changes. Their `new` changes
  /// stay as long as other history, but are no longer reported.
  ///
  /// - Returns: the numbers of removed offers and changes.
  static func deleteOffers(
    _ bounds: PruneBounds, limit: Int, in connection: Connection
  ) throws -> PruneCounts {
    try deleteOffers(
      """
      SELECT offer.offer_key FROM \(OfferColumns.tables) WHERE \(isDoomed)
      ORDER BY offer.offer_key LIMIT \(limit)
      """, [.number(bounds.gone.seconds), .number(bounds.gone.run)], in: connection)
  }

  /// Removes the found offers above `Retention.foundOfferLimit`, those whose last find is oldest.
  static func deleteSurplusFound(in connection: Connection) throws {
    let surplus = """
      SELECT offer.offer_key FROM \(OfferColumns.tables)
      WHERE offer.found_at IS NOT NULL AND NOT \(OfferColumns.isStarred)
      ORDER BY offer.found_at DESC, offer.offer_key DESC OFFSET \(Retention.foundOfferLimit)
      """
    // Stars wait for the lock, which is taken only if there is a surplus.
    if try connection.rows("\(surplus) LIMIT 1").count == 0 { return }
    _ = try deleteOffers(surplus, in: connection)
  }

  /// Removes some of a feed's offers that nobody starred, with their changes.
  ///
  /// - Returns: the number of removed offers.
  static func deleteOffers(
    ofFeed feedKey: Int64, limit: Int, in connection: Connection
  ) throws -> Int {
    try deleteOffers(
      """
      SELECT offer.offer_key FROM \(OfferColumns.tables)
      WHERE offer.feed_key = $1 AND NOT \(OfferColumns.isStarred)
      ORDER BY offer.offer_key LIMIT \(limit)
      """, [.number(feedKey)], in: connection
    ).offers
  }

  /// Removes the changes of a feed that concern no favorite.
  static func deleteChanges(ofFeed feedKey: Int64, in connection: Connection) throws {
    try connection.run(
      """
      DELETE FROM change WHERE run_id IN (SELECT run_id FROM sync_run WHERE feed_key = $1)
        AND NOT (\(isOfFavorite))
      """, [.number(feedKey)])
  }

  /// Removes the offers whose keys a statement selects, with their changes.
  private static func deleteOffers(
    _ keys: String, _ parameters: [Parameter] = [], in connection: Connection
  ) throws -> PruneCounts {
    // Nobody can star an offer while it is being removed.
    try connection.script("LOCK TABLE favorite IN SHARE MODE")
    let removed = try connection.rows(
      """
      DELETE FROM offer WHERE offer_key IN (\(keys))
      RETURNING offer_key, feed_key, gone_at IS NOT NULL
      """, parameters)
    var counts = PruneCounts()
    counts.offers = removed.count
    if removed.count == 0 { return counts }
    var gone: [Int64: FeedCounts] = [:]
    for row in removed.map({ $0 }) where row.flag(2) {
      gone[row.number(1), default: FeedCounts()].gone -= 1
    }
    for (feedKey, change) in gone.sorted(by: { $0.key < $1.key }) {
      try FeedTable.add(change, feedKey: feedKey, in: PostgresTransaction(connection))
    }
    counts.changes = try connection.run(
      "DELETE FROM change WHERE offer_key = ANY($1) AND kind NOT IN ('first', 'new')",
      [.numbers(removed.map { $0.number(0) })])
    return counts
  }

  /// A condition that a change concerns a favorite of anybody: one of its offers.
  private static let isOfFavorite = """
    CASE WHEN change.kind = 'first' THEN EXISTS (
        SELECT 1 FROM favorite JOIN feed ON feed.name = favorite.feed
        JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = favorite.id
        WHERE feed.feed_key = change.feed_key AND offer.first_run_id = change.run_id)
      ELSE EXISTS (
        SELECT 1 FROM \(OfferColumns.tables)
        WHERE offer.offer_key = change.offer_key AND \(OfferColumns.isStarred)) END
    """

  /// Selects the changes after a number `$1` and up to `$2` that are surplus, up to a number `$3`, or
  /// older than a time `$4`, and concern no favorite.
  private static let doomedChanges = """
    SELECT change.change_id FROM change
    WHERE change.change_id > $1 AND change.change_id <= $2
      AND (change.change_id <= $3 OR change.at < $4) AND NOT (\(isOfFavorite))
    ORDER BY change.change_id
    """

  private static func parameters(_ bounds: PruneBounds, after: Int64) -> [Parameter] {
    [
      .number(after), .number(bounds.through), .number(bounds.surplus),
      .number(bounds.history.seconds),
    ]
  }

  static func hasDoomedChange(_ bounds: PruneBounds, in connection: Connection) throws -> Bool {
    try bounds.through > 0
      && connection.rows("\(doomedChanges) LIMIT 1", parameters(bounds, after: 0)).count > 0
  }

  /// Whether a change up to a number concerns no favorite.
  static func hasRemovable(through id: Int64, in connection: Connection) throws -> Bool {
    try connection.rows(
      "\(doomedChanges) LIMIT 1", [.number(0), .number(id), .number(id), .number(.min)]
    ).count > 0
  }

  /// Removes some of the changes that are old or surplus, after a number.
  ///
  /// - Returns: the number of changes, of which a first sync counts once for each offer, and the last
  ///   number; nil if there is nothing left.
  static func deleteChanges(
    _ bounds: PruneBounds, after: Int64, limit: Int, in connection: Connection
  ) throws -> (count: Int, lastID: Int64?) {
    if after >= bounds.through { return (0, nil) }
    let removed = try connection.rows(
      """
      DELETE FROM change WHERE change_id IN (\(doomedChanges) LIMIT \(limit))
      RETURNING change_id, coalesce(offer_count, 1)
      """, parameters(bounds, after: after))
    let count = removed.map { Int($0.number(1)) }.reduce(0, +)
    return (count, removed.count < limit ? nil : removed.map { $0.number(0) }.max())
  }

  /// Removes the old runs, and those that changed no offer and are old for such ones. Kept are the last
  /// and the last successful run of each feed, and every run that a change refers to.
  static func deleteRuns(_ bounds: PruneBounds, in connection: Connection) throws -> Int {
    try connection.run(
      """
      DELETE FROM sync_run
      WHERE (run_id < $1 AND started_at < $2
          OR run_id < $3 AND started_at < $4
            AND new_count + changed_count + gone_count + back_count = 0)
        AND run_id NOT IN (SELECT max(run_id) FROM sync_run GROUP BY feed_key)
        AND run_id NOT IN (
          SELECT max(run_id) FROM sync_run WHERE outcome IN ('updated', 'unchanged')
          GROUP BY feed_key)
        AND NOT EXISTS (SELECT 1 FROM change WHERE change.run_id = sync_run.run_id)
      """,
      [
        .number(bounds.history.run), .number(bounds.history.seconds),
        .number(bounds.idleRuns.run), .number(bounds.idleRuns.seconds),
      ])
  }

  /// Whether an old run changed no offer, and is neither the last nor the last successful one of its
  /// feed. Other runs are removed with the changes of their age.
  static func hasIdleRun(_ age: PruneBounds.Age, in connection: Connection) throws -> Bool {
    try connection.rows(
      """
      SELECT 1 FROM sync_run AS run
      WHERE run_id < $1 AND started_at < $2
        AND new_count + changed_count + gone_count + back_count = 0
        AND EXISTS (
          SELECT 1 FROM sync_run AS later
          WHERE later.feed_key = run.feed_key AND later.run_id > run.run_id
            AND (run.outcome NOT IN ('updated', 'unchanged')
              OR later.outcome IN ('updated', 'unchanged')))
      LIMIT 1
      """, [.number(age.run), .number(age.seconds)]
    ).count > 0
  }
}
