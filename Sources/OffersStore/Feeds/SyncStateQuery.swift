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
      sql(transaction.dialect), [.text(feed)], isFrequent: true, state
    ).flatMap(\.self)
  }

  /// A failed run that did not raise the failure count was a trial of another source.
  private static func sql(_ dialect: Dialect) -> String {
    """
    SELECT feed.unsubscribed_at IS NULL, feed.chosen_source, feed.source_origin,
      feed.document_hash, feed.document_head_hash, feed.document_bytes,
      \(dialect.currentCount),
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
