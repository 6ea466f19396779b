import Foundation
import OffersCore

/// Feeds and their runs.
extension StoreImport {
  /// A feed as the store has it before the import.
  struct StoredFeed {
    let key: Int64
    /// Whether the store had a successful sync or an offer of the feed.
    let isRead: Bool
    /// The source that a user named.
    let source: String?
  }

  func findFeed(_ name: String) throws -> StoredFeed? {
    try transaction.first(
      """
      SELECT feed.feed_key, good.started_at IS NOT NULL
          OR EXISTS (SELECT 1 FROM offer WHERE offer.feed_key = feed.feed_key),
        feed.chosen_source
      FROM feed \(SyncRunTable.lastJoin) WHERE feed.name = $1
      """, [.text(name)]
    ) { StoredFeed(key: $0.number(0), isRead: $0.flag(1), source: $0.findText(2)) }
  }

  /// Inserts a feed without its named source, and returns its key.
  func insert(_ feed: ExportedFeed) throws -> Int64 {
    try transaction.first(
      """
      INSERT INTO feed (
        name, source, subscribed_at, title, shared, unsubscribed_at, presentation)
      VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING feed_key
      """,
      [
        .text(feed.name), .text(feed.source), .number(feed.subscribedAt), .text(feed.title),
        .text(OfferAttribute.json(feed.shared)), .number(feed.unsubscribedAt),
        .text(feed.presentation?.storedText),
      ]
    ) { $0.number(0) } ?? 0
  }

  /// Overwrites a feed that this store has never read. The named source is stored later, by
  /// `setSource`, or forgotten if the imported feed has none.
  func replace(_ feed: ExportedFeed, key: Int64) throws {
    try transaction.run(
      """
      UPDATE feed SET source = $2, subscribed_at = $3, title = $4, shared = $5,
        unsubscribed_at = $6, presentation = coalesce($7, presentation)
      WHERE feed_key = $1
      """,
      [
        .number(key), .text(feed.source), .number(feed.subscribedAt), .text(feed.title),
        .text(OfferAttribute.json(feed.shared)), .number(feed.unsubscribedAt),
        .text(feed.presentation?.storedText),
      ])
    if feed.chosenSource == nil { try FeedTable.forgetSource(of: feed.name, in: transaction) }
    // The offers that are stored next are of another document than a validator of this store.
    try FeedTable.setDocument(nil, feedKey: key, in: transaction)
    try FetchStateTable.forgetValidators(feedKey: key, in: transaction)
  }

  /// Stores the source that an import names for a feed, even if the feed is unsubscribed.
  func setSource(_ source: ChosenSource, feedKey: Int64) throws {
    try transaction.run(
      "UPDATE feed SET chosen_source = $2, source_origin = $3 WHERE feed_key = $1",
      [.number(feedKey), .text(source.text), .text(source.origin?.rawValue)])
  }

  /// Inserts a run.
  func insert(_ run: ExportedRun, id: Int64, feedKey: Int64) throws {
    let counts = ExportedRun.countNames.map { "\($0)_count" }
    let columns =
      [
        "run_id", "feed_key", "source", "started_at", "duration_milliseconds", "outcome", "bytes",
        "error_code", "error_message", "error_hint",
      ] + counts
    try transaction.run(
      """
      INSERT INTO sync_run (\(columns.joined(separator: ", ")))
      VALUES (\(columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")))
      """,
      [
        .number(id), .number(feedKey), .text(run.source), .number(run.startedAt),
        .number(run.durationMilliseconds), .text(run.outcome.rawValue), .number(run.bytes),
        .text(run.error?.code), .text(run.error?.message), .text(run.error?.hint),
      ] + run.counts.map { .number($0) })
  }
}
