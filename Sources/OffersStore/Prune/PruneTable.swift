import OffersCore

/// The SQL that removes offers, changes and runs after the times in `Retention`.
package enum PruneTable {
  /// The parameters `$1` to `$6` of the conditions below.
  private static func values(_ bounds: PruneBounds, after: Int64 = 0) -> [SQLValue] {
    [
      .number(bounds.gone.seconds), .number(bounds.gone.run), .number(after),
      .number(bounds.through), .number(bounds.surplus), .number(bounds.history.seconds),
    ]
  }

  // MARK: Offers

  /// A condition that an offer vanished before a time `$1` and before a run `$2`, or was last found by a
  /// search before that time. Two queries, because each has an index of its own.
  private static let isOld = """
    offer.offer_key IN (
      SELECT offer_key FROM offer WHERE gone_at < $1
      UNION ALL SELECT offer_key FROM offer WHERE found_at < $1)
    AND \(isOfOldRun)
    """

  /// A condition that an offer did not vanish in a run from `$2` on.
  private static let isOfOldRun = """
    coalesce((
      SELECT max(change.run_id) FROM change
      WHERE change.offer_key = offer.offer_key AND change.kind = 'gone'), 0) < $2
    """

  /// Selects the keys of the offers that are removed: old ones that nobody starred.
  private static let doomedOffers =
    """
    SELECT offer.offer_key FROM \(OfferColumns.source)
    WHERE \(isOld) AND NOT \(OfferColumns.isStarred)
    """

  static func hasDoomedOffer(_ bounds: PruneBounds, in transaction: any Transaction) throws -> Bool
  {
    try transaction.exists(
      "\(doomedOffers) LIMIT 1", Array(values(bounds).prefix(2)))
  }

  /// Removes at most `limit` of the offers that have been gone for long enough and that nobody starred, and
  /// their changes except for `new`, which stay as long as other history, but are no longer reported.
  ///
  /// - Returns: the numbers of removed offers and changes.
  static func deleteOffers(
    _ bounds: PruneBounds, limit: Int, in transaction: any Transaction
  ) throws -> PruneCounts {
    // In the order of an index each, so that no call reads or sorts all old offers.
    var counts = PruneCounts()
    for column in ["gone_at", "found_at"] where counts.offers < limit {
      let removed = try deleteOffers(
        where: "offer.\(column) < $1 AND \(isOfOldRun)",
        order: "ORDER BY offer.\(column) LIMIT \(limit - counts.offers)",
        Array(values(bounds).prefix(2)), in: transaction)
      counts.offers += removed.offers
      counts.changes += removed.changes
    }
    return counts
  }

  /// Removes at most `limit` of a feed's gone offers that nobody starred, and their changes except for `new`.
  ///
  /// - Returns: the number of removed offers.
  static func deleteOffers(
    ofFeed feedKey: Int64, limit: Int, in transaction: any Transaction
  ) throws -> Int {
    // In the order of the index on ids, so that no call sorts the feed's offers.
    try deleteOffers(
      where: "offer.feed_key = $1 AND offer.gone_at IS NOT NULL",
      order: "ORDER BY offer.id LIMIT \(limit)", [.number(feedKey)], in: transaction
    ).offers
  }

  /// Removes offers that nobody starred, and their changes except for `new`.
  private static func deleteOffers(
    where condition: String, order: String, _ values: [SQLValue], in transaction: any Transaction
  ) throws -> PruneCounts {
    let removed = try OfferTable.delete(
      where: condition, order: order, values, in: transaction)
    var counts = PruneCounts()
    counts.offers = removed.count
    if removed.isEmpty { return counts }
    var gone: [Int64: FeedCounts] = [:]
    for offer in removed where offer.wasGone {
      gone[offer.feedKey, default: FeedCounts()].gone -= 1
    }
    for (feedKey, change) in gone.sorted(by: { $0.key < $1.key }) {
      try FeedTable.add(change, feedKey: feedKey, in: transaction)
    }
    counts.changes = try OfferTable.deleteChanges(of: removed.map(\.key), in: transaction)
    return counts
  }

  // MARK: Changes

  /// A condition that a change concerns a favorite of anybody: its offer, or one of a first sync.
  private static let isOfFavorite = """
    CASE WHEN change.kind = 'first'
      THEN change.run_id IN (
        SELECT offer.first_run_id FROM \(OfferColumns.favoriteSource)
        WHERE offer.first_run_id IS NOT NULL)
      ELSE change.offer_key IN (SELECT offer.offer_key FROM \(OfferColumns.favoriteSource)) END
    """

  /// A condition that a change is removed: one after a number `$3` and up to `$4` that is surplus, up to
  /// a number `$5`, or older than a time `$6`, and concerns no favorite.
  private static let isDoomed = """
    (change.change_id > $3 AND change.change_id <= $4
      AND (change.change_id <= $5 OR change.at < $6) AND NOT (\(isOfFavorite)))
    """

  private static let doomedChanges =
    "SELECT change.change_id FROM change WHERE \(isDoomed) ORDER BY change.change_id"

  static func hasDoomedChange(
    _ bounds: PruneBounds, in transaction: any Transaction
  ) throws -> Bool {
    try bounds.through > 0 && transaction.exists("\(doomedChanges) LIMIT 1", values(bounds))
  }

  /// Whether a change up to a number concerns no favorite.
  static func hasRemovable(through id: Int64, in transaction: any Transaction) throws -> Bool {
    try transaction.exists(
      """
      SELECT 1 FROM change WHERE change.change_id <= $1 AND NOT (\(isOfFavorite))
      ORDER BY change.change_id LIMIT 1
      """, [.number(id)])
  }

  /// Removes some of the changes that are old or surplus, after a number.
  ///
  /// - Returns: the number of changes, of which a first sync counts once for each offer, and the last
  ///   number; nil if there is nothing left.
  static func deleteChanges(
    _ bounds: PruneBounds, after: Int64, limit: Int, in transaction: any Transaction
  ) throws -> (count: Int, lastID: Int64?) {
    if after >= bounds.through { return (0, nil) }
    let removed = try transaction.rows(
      """
      DELETE FROM change WHERE change_id IN (\(doomedChanges) LIMIT \(limit))
      RETURNING change_id, coalesce(offer_count, 1)
      """, values(bounds, after: after)
    ) { (id: $0.number(0), count: $0.count(1)) }
    let count = removed.reduce(0) { $0.adding(clamped: $1.count) }
    return (count, removed.count < limit ? nil : removed.map(\.id).max())
  }

  /// Removes the changes of a feed that concern no favorite.
  static func deleteChanges(ofFeed feedKey: Int64, in transaction: any Transaction) throws {
    try transaction.run(
      """
      DELETE FROM change WHERE run_id IN (SELECT run_id FROM sync_run WHERE feed_key = $1)
        AND NOT (\(isOfFavorite))
      """, [.number(feedKey)])
  }

  // MARK: Runs

  /// A condition that a run is old, or changed no offer and is old for such ones, and is neither the
  /// last nor the last successful run of its feed.
  ///
  /// - Parameter first: the number of the first of its four parameters.
  private static func isOldRun(first: Int) -> String {
    """
    (run_id < $\(first) AND started_at < $\(first + 1)
      OR run_id < $\(first + 2) AND started_at < $\(first + 3)
        AND new_count + changed_count + gone_count + back_count = 0)
    AND run_id NOT IN (SELECT max(run_id) FROM sync_run GROUP BY feed_key)
    AND run_id NOT IN (
      SELECT max(run_id) FROM sync_run WHERE outcome IN ('updated', 'unchanged')
      GROUP BY feed_key)
    """
  }

  private static func runValues(_ bounds: PruneBounds) -> [SQLValue] {
    [
      .number(bounds.history.run), .number(bounds.history.seconds),
      .number(bounds.idleRuns.run), .number(bounds.idleRuns.seconds),
    ]
  }

  /// Removes the old runs to which no change refers.
  ///
  /// - Returns: their number.
  static func deleteRuns(_ bounds: PruneBounds, in transaction: any Transaction) throws -> Int {
    try transaction.run(
      """
      DELETE FROM sync_run WHERE \(isOldRun(first: 1))
        AND NOT EXISTS (SELECT 1 FROM change WHERE change.run_id = sync_run.run_id)
      """, runValues(bounds))
  }

  /// Whether an old run changed no offer, and is neither the last nor the last successful one of its
  /// feed. Other runs are removed with the changes of their age.
  static func hasIdleRun(_ age: PruneBounds.Age, in transaction: any Transaction) throws -> Bool {
    try transaction.exists(
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
      """, [.number(age.run), .number(age.seconds)])
  }

  // MARK: A trial

  /// Counts what would be removed. Nothing is written, so that a trial keeps no writer waiting.
  static func countDoomed(
    _ bounds: PruneBounds, in transaction: any Transaction
  ) throws -> PruneCounts {
    // The changes that are removed with their offers.
    let isOfDoomed = """
      (change.kind NOT IN ('first', 'new') AND change.offer_key IN (\(doomedOffers)))
      """
    var counts = PruneCounts()
    counts.offers =
      try transaction.first(
        "SELECT count(*) FROM (\(doomedOffers)) AS doomed", Array(values(bounds).prefix(2))
      ) { $0.count(0) } ?? 0
    counts.changes =
      try transaction.first(
        """
        SELECT CAST(coalesce(sum(coalesce(offer_count, 1)), 0) AS BIGINT) FROM change
        WHERE \(isOfDoomed) OR \(isDoomed)
        """, values(bounds)
      ) { $0.count(0) } ?? 0
    guard bounds.time != nil else { return counts }
    counts.runs =
      try transaction.first(
        """
        SELECT count(*) FROM sync_run WHERE \(isOldRun(first: 7))
          AND NOT EXISTS (
            SELECT 1 FROM change WHERE change.run_id = sync_run.run_id
              AND NOT \(isOfDoomed) AND NOT \(isDoomed))
        """, values(bounds) + runValues(bounds)
      ) { $0.count(0) } ?? 0
    return counts
  }
}
