import OffersCore

/// The state of a feed before a sync.
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
