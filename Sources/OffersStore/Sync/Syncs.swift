import Foundation
import OffersCore

extension OffersDatabase {
  /// Runs `body` under a lock that excludes other syncs of this feed in all processes.
  ///
  /// - Throws: `OffersError` with `locked` when the lock is still held after `waitSeconds`. A lock
  ///   that a dead process held is free.
  package func withSyncLock<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withSyncLocks(on: [feed], waitSeconds: waitSeconds, body)
  }

  func withSyncLocks<Result: Sendable>(
    on feeds: [String], waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    do {
      return try await engine.withSyncLocks(on: feeds, waitSeconds: waitSeconds, body)
    } catch is CancellationError {
      throw OffersError.cancelled
    }
  }

  /// The sync state of a feed; nil for an unknown one, and for an unsubscribed one with neither a
  /// named source nor a fetch state. For other unsubscribed feeds, such as one whose syncs have all
  /// failed, only the named source, the time of the last run and the fetch state are set.
  package func findSyncState(of feed: String) async throws(OffersError) -> SyncState? {
    try await transaction(.query) { try SyncStateQuery.find(feed, in: $0) }
  }

  /// The feed's stored offers, to compare with. Empty for an unknown feed.
  package func fetchKnownOffers(of feed: String) async throws(OffersError) -> KnownOffers {
    try await transaction(.read) { transaction in
      guard let feedKey = try FeedTable.findKey(feed, in: transaction) else {
        return KnownOffers(capacity: 0)
      }
      return try SyncStateQuery.knownOffers(feedKey: feedKey, in: transaction)
    }
  }

  /// Applies a difference and records the run in one transaction: all of it or nothing.
  ///
  /// - Returns: the run as recorded, with the counts that only the store can determine (new or
  ///   repeated ids, changed or merely rewritten offers).
  package func apply(_ plan: SyncPlan) async throws(OffersError) -> SyncRun {
    try await transaction(.sync) { [user] transaction in
      try DifferenceWriter(plan, of: user, isIndexed: plan.isIndexed, in: transaction).apply()
    }
  }

  /// The maximum number of changes that a preview lists, the newest ones. The counts of its run include
  /// all changes.
  private var previewLimit: Int { 1000 }

  /// The run and the changes that applying a difference would record, in order. Nothing is written.
  /// A store may list only the newest changes.
  package func preview(_ plan: SyncPlan) async throws(OffersError) -> (
    run: SyncRun, changes: [OfferChange]
  ) {
    try await transaction(.trial) { [user, previewLimit] transaction in
      var query = ChangeQuery(limit: previewLimit, now: plan.run.startedAt)
      query.afterID = try ChangeTable.fetchLastID(in: transaction)
      query.kinds = Set(OfferChange.Kind.allCases).subtracting([.expiring])
      let run = try DifferenceWriter(plan, of: user, isIndexed: false, in: transaction).apply()
      return (run, try SelectedChanges(query, of: user, in: transaction).changes())
    }
  }

  /// Records a run that changes no offer.
  ///
  /// - Parameters:
  ///   - run: the run to record.
  ///   - source: the source to use from now on and its origin; nil to keep both.
  ///   - fetch: the new fetch state; nil to keep the stored one.
  ///   - presentation: how the offers of the feed are shown, by its definition; nil to keep what is
  ///     stored.
  package func record(
    _ run: SyncRun, remember source: ChosenSource?, fetch: FetchState?,
    presentation: FeedPresentation?
  ) async throws(OffersError) {
    // A named source is a user's choice and must be durable.
    try await transaction(source == nil ? .syncNote : .sync) { transaction in
      var order = try CommitOrder(locking: transaction)
      let feedKey = try FeedTable.put(
        run.feed, source: source?.text ?? run.source, subscribes: run.outcome != .failed,
        at: run.startedAt, in: transaction
      ).key
      try SyncRunTable.insert(run, id: order.nextRunID(), feedKey: feedKey, in: transaction)
      try FeedTable.setSource(source, feedKey: feedKey, in: transaction)
      if let fetch { try FetchStateTable.save(fetch, feedKey: feedKey, in: transaction) }
      try FeedTable.setPresentation(presentation, feedKey: feedKey, in: transaction)
      try order.save(in: transaction)
    }
  }

  /// Until when a host asked for no requests; nil if it did not.
  package func findHostWait(_ mark: String, now: Date) async throws(OffersError) -> Date? {
    try await transaction(.query) { try HostWaitTable.find(mark, now: now, in: $0) }
  }

  /// Stores until when a host asked for no requests, unless a longer wait is stored. A power cut may lose
  /// the last ones.
  ///
  /// - Parameters:
  ///   - mark: a hash of the host.
  ///   - until: the end of the wait; nil to forget the stored one.
  package func putHostWait(
    _ mark: String, until: Date?, now: Date
  ) async throws(OffersError) {
    try await transaction(.note) {
      try HostWaitTable.put(mark, until: until, now: now, in: $0)
    }
  }

  /// Gives current offers of the feed the ids under which its document has them (`RenamedOfferMatcher`), with
  /// their stars and notices. They keep their history and their times.
  ///
  /// - Parameters:
  ///   - newOffers: the offers of the document that the store does not have.
  ///   - missingKeys: the keys of the current offers that the document lacks.
  /// - Returns: the number of offers with other ids.
  package func renameOffers(
    of feed: String, as newOffers: [RenameCandidate], missingKeys: [Int64]
  ) async throws(OffersError) -> Int {
    // Most documents have none, and need no write transaction.
    let none = try await transaction(.read) { transaction in
      try RenamedOffers.find(of: feed, newOffers, missingKeys, in: transaction).isEmpty
    }
    if none { return 0 }
    return try await transaction(.sync) { transaction in
      let order = try CommitOrder(locking: transaction)
      let renames = try RenamedOffers.find(of: feed, newOffers, missingKeys, in: transaction)
      for rename in renames { try RenamedOffers.rename(rename, of: feed, in: transaction) }
      try order.save(in: transaction)
      return renames.count
    }
  }
}

/// The SQL that reads what a sync must know of its feed before it begins.
package enum SyncStateQuery {
  /// The state of a feed; nil for one that is unknown, and for one that is not subscribed and of which
  /// nothing is remembered.
  package static func find(
    _ feed: String, in transaction: any Transaction
  ) throws -> SyncState? {
    if !StoredText.isStorable(feed) { return nil }
    return try transaction.first(
      sql, [.text(feed)], isFrequent: true, state
    ).flatMap(\.self)
  }

  /// A failed run that did not raise the failure count was a trial of another source.
  private static let sql =
    """
    SELECT feed.unsubscribed_at IS NULL, feed.chosen_source, feed.source_origin,
      feed.document_hash, feed.document_head_hash, feed.document_bytes,
      \(FeedTable.currentCount),
      good.source,
      (SELECT trial.started_at FROM sync_run AS trial
        WHERE trial.feed_key = feed.feed_key
          AND (trial.outcome <> 'failed' OR feed_fetch.failure_count IS DISTINCT FROM 0)
        ORDER BY trial.run_id DESC LIMIT 1),
      feed_fetch.feed_key IS NOT NULL, \(FetchStateTable.selection)
    FROM feed LEFT JOIN feed_fetch ON feed_fetch.feed_key = feed.feed_key
    \(SyncRunTable.lastJoin)
    WHERE feed.name = $1
    """

  /// The offers of a feed with which a sync compares its document, in the order in which syncs first found
  /// them, which is mostly that of the document. Gone ones are included, and so are those that only a search
  /// found, as gone ones: the document need not have them.
  static func knownOffers(
    feedKey: Int64, in transaction: any Transaction
  ) throws -> KnownOffers {
    let dialect = transaction.dialect
    let count = try transaction.first(
      """
      SELECT current_count + gone_count + (SELECT count(*) FROM offer
        WHERE offer.feed_key = $1 AND offer.found_at IS NOT NULL)
      FROM feed WHERE feed_key = $1
      """, [.number(feedKey)]
    ) { $0.count(0) }
    var known = KnownOffers(capacity: count ?? 0)
    try transaction.forEach(
      """
      SELECT offer_key, content_hash, gone_at IS NOT NULL OR found_at IS NOT NULL, id
      FROM offer WHERE \(dialect.unindexed("feed_key")) = $1 ORDER BY offer_key
      """, [.number(feedKey)], fetchedCount: 20_000
    ) { row in
      guard let id = row.findUTF8(3) else { return }
      known.insert(
        id: id, contentHash: UInt64(bitPattern: row.number(1)), key: row.number(0),
        isGone: row.flag(2))
    }
    return known
  }

  private static func state(_ row: any SQLRow) -> SyncState? {
    let source = FeedTable.namedSource(row.findText(1), row.findText(2))
    let fetch = FetchStateTable.state(row, from: 10)
    if !row.flag(0) {
      if source == nil && !row.flag(9) { return nil }
      return SyncState(
        source: source, document: nil, currentCount: 0, lastGoodSource: nil,
        lastRunAt: row.findDate(8), fetch: fetch)
    }
    var document: DocumentFingerprint?
    if let hash = row.findBlob(3), let head = row.findBlob(4) {
      document = DocumentFingerprint(hash: hash, headHash: head, sizeBytes: row.count(5))
    }
    return SyncState(
      source: source, document: document, currentCount: row.count(6),
      lastGoodSource: row.findText(7), lastRunAt: row.findDate(8), fetch: fetch)
  }
}
