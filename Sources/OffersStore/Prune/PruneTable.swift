import OffersCore

/// The SQL that removes offers, changes and runs after the times in `Retention`.
package enum PruneTable {
  // MARK: Offers

  /// A condition that an offer did not vanish in a recent run.
  private static func isOfOldRun(_ bounds: PruneBounds, _ bindings: inout Bindings) -> String {
    """
    coalesce((
      SELECT max(change.run_id) FROM change
      WHERE change.offer_key = offer.offer_key AND change.kind = 'gone'), 0)
      < \(bindings.add(.number(bounds.gone.run)))
    """
  }

  /// Selects the keys of the offers that are removed: those that nobody starred, and that vanished or were
  /// last found by a search, or slid out of a window, long ago. Queries of their own, for their indexes.
  private static func doomedOffers(_ bounds: PruneBounds, _ bindings: inout Bindings) -> String {
    let time = bindings.add(.number(bounds.gone.seconds))
    return """
      SELECT offer.offer_key FROM \(OfferColumns.source)
      WHERE offer.offer_key IN (
          SELECT offer_key FROM offer WHERE gone_at < \(time)
          UNION ALL SELECT offer_key FROM offer WHERE found_at < \(time)
          UNION ALL SELECT offer_key FROM missing_offer WHERE is_older AND since < \(time))
        AND \(isOfOldRun(bounds, &bindings)) AND NOT \(OfferColumns.isStarred)
      """
  }

  static func hasDoomedOffer(_ bounds: PruneBounds, in transaction: any Transaction) throws -> Bool
  {
    var bindings = Bindings()
    let doomed = doomedOffers(bounds, &bindings)
    return try transaction.exists("\(doomed) LIMIT 1", bindings.values)
  }

  /// Removes at most `limit` of the offers that have been gone for long enough and that nobody starred, and
  /// their changes except for `new`, which stay as long as other history, but are no longer reported.
  ///
  /// - Returns: how many offers and changes were removed.
  static func deleteOffers(
    _ bounds: PruneBounds, limit: Int, in transaction: any Transaction
  ) throws -> PruneCounts {
    // In the order of an index each, so that no call reads or sorts all old offers.
    var counts = PruneCounts()
    for column in ["gone_at", "found_at", nil] where counts.offers < limit {
      var bindings = Bindings()
      let time = bindings.add(.number(bounds.gone.seconds))
      let isOld =
        column.map { "offer.\($0) < \(time)" }
        ?? "offer.offer_key IN (SELECT offer_key FROM missing_offer WHERE is_older AND since < \(time))"
      let removed = try deleteOffers(
        where: "\(isOld) AND \(isOfOldRun(bounds, &bindings))",
        order: "ORDER BY offer.\(column ?? "offer_key") LIMIT \(limit - counts.offers)",
        bindings.values, areOlder: column == nil, in: transaction)
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
    where condition: String, order: String, _ values: [SQLValue], areOlder: Bool = false,
    in transaction: any Transaction
  ) throws -> PruneCounts {
    let removed = try OfferTable.delete(
      where: condition, order: order, values, in: transaction)
    var counts = PruneCounts()
    counts.offers = removed.count
    if removed.isEmpty { return counts }
    // Older offers are current, and offers that a search found are not counted.
    let count = areOlder ? \FeedCountChange.current : \.gone
    var changes: [Int64: FeedCountChange] = [:]
    for offer in removed where offer.wasGone || areOlder {
      changes[offer.feedKey, default: FeedCountChange()][keyPath: count] -= 1
    }
    for (feedKey, change) in changes.sorted(by: { $0.key < $1.key }) {
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

  /// A condition that a change is removed: it is surplus or old, and concerns no favorite.
  ///
  /// - Parameter id: the id after which changes are looked at.
  private static func isDoomed(
    _ bounds: PruneBounds, after id: Int64 = 0, _ bindings: inout Bindings
  ) -> String {
    let (after, through) = (bindings.add(.number(id)), bindings.add(.number(bounds.through)))
    let surplus = bindings.add(.number(bounds.surplus))
    let time = bindings.add(.number(bounds.history.seconds))
    return """
      (change.change_id > \(after) AND change.change_id <= \(through)
        AND (change.change_id <= \(surplus) OR change.at < \(time)) AND NOT (\(isOfFavorite)))
      """
  }

  private static func doomedChanges(
    _ bounds: PruneBounds, after id: Int64 = 0, _ bindings: inout Bindings
  ) -> String {
    """
    SELECT change.change_id FROM change WHERE \(isDoomed(bounds, after: id, &bindings))
    ORDER BY change.change_id
    """
  }

  static func hasDoomedChange(
    _ bounds: PruneBounds, in transaction: any Transaction
  ) throws -> Bool {
    var bindings = Bindings()
    let doomed = doomedChanges(bounds, &bindings)
    return try bounds.through > 0 && transaction.exists("\(doomed) LIMIT 1", bindings.values)
  }

  /// Whether a change up to an id concerns no favorite.
  static func hasRemovable(through id: Int64, in transaction: any Transaction) throws -> Bool {
    try transaction.exists(
      """
      SELECT 1 FROM change WHERE change.change_id <= $1 AND NOT (\(isOfFavorite))
      ORDER BY change.change_id LIMIT 1
      """, [.number(id)])
  }

  /// Removes some of the changes that are old or surplus, after an id.
  ///
  /// - Returns: the number of changes, of which a first sync counts once for each offer, and the last
  ///   id; nil if there is nothing left.
  static func deleteChanges(
    _ bounds: PruneBounds, after: Int64, limit: Int, in transaction: any Transaction
  ) throws -> (count: Int, lastID: Int64?) {
    if after >= bounds.through { return (0, nil) }
    var bindings = Bindings()
    let doomed = doomedChanges(bounds, after: after, &bindings)
    let removed = try transaction.rows(
      """
      DELETE FROM change WHERE change_id IN (\(doomed) LIMIT \(limit))
      RETURNING change_id, coalesce(offer_count, 1)
      """, bindings.values
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
  private static func isOldRun(_ bounds: PruneBounds, _ bindings: inout Bindings) -> String {
    func isBefore(_ age: PruneBounds.Age) -> String {
      let (run, time) = (bindings.add(.number(age.run)), bindings.add(.number(age.seconds)))
      return "run_id < \(run) AND started_at < \(time)"
    }
    return """
      (\(isBefore(bounds.history)) OR \(isBefore(bounds.idleRuns))
          AND new_count + changed_count + gone_count + back_count = 0)
      AND run_id NOT IN (SELECT max(run_id) FROM sync_run GROUP BY feed_key)
      AND run_id NOT IN (
        SELECT max(run_id) FROM sync_run WHERE outcome IN ('updated', 'unchanged')
        GROUP BY feed_key)
      """
  }

  /// Removes the old runs to which no change refers.
  ///
  /// - Returns: how many were removed.
  static func deleteRuns(_ bounds: PruneBounds, in transaction: any Transaction) throws -> Int {
    var bindings = Bindings()
    let isOld = isOldRun(bounds, &bindings)
    return try transaction.run(
      """
      DELETE FROM sync_run WHERE \(isOld)
        AND NOT EXISTS (SELECT 1 FROM change WHERE change.run_id = sync_run.run_id)
      """, bindings.values)
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
    var counts = PruneCounts()
    var bindings = Bindings()
    let doomed = doomedOffers(bounds, &bindings)
    counts.offers =
      try transaction.first("SELECT count(*) FROM (\(doomed)) AS doomed", bindings.values) {
        $0.count(0)
      } ?? 0
    // Some changes are removed with their offers.
    let isRemoved = """
      (change.kind NOT IN ('first', 'new') AND change.offer_key IN (\(doomed))
        OR \(isDoomed(bounds, &bindings)))
      """
    counts.changes =
      try transaction.first(
        """
        SELECT CAST(coalesce(sum(coalesce(offer_count, 1)), 0) AS BIGINT) FROM change
        WHERE \(isRemoved)
        """, bindings.values
      ) { $0.count(0) } ?? 0
    let isOld = isOldRun(bounds, &bindings)
    counts.runs =
      try transaction.first(
        """
        SELECT count(*) FROM sync_run WHERE \(isOld)
          AND NOT EXISTS (
            SELECT 1 FROM change WHERE change.run_id = sync_run.run_id AND NOT \(isRemoved))
        """, bindings.values
      ) { $0.count(0) } ?? 0
    return counts
  }
}
