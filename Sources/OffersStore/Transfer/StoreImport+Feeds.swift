import Foundation
import OffersCore

/// Feeds.
extension StoreImport {
  func findFeed(_ name: String) throws -> StoredFeed? {
    try transaction.first(
      """
      SELECT feed.feed_key, good.started_at, good.source,
        EXISTS (SELECT 1 FROM offer WHERE offer.feed_key = feed.feed_key), feed.chosen_source
      FROM feed \(SyncRunTable.lastJoin) WHERE feed.name = $1
      """, [.text(name)]
    ) { row in
      StoredFeed(
        key: row.number(0),
        lastSuccess: row.findNumber(1).map { SuccessfulSync(at: $0, source: row.text(2)) },
        hasOffers: row.flag(3), source: row.findText(4))
    }
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
  }

  /// Merges an imported feed into a stored one, which keeps its subscription and its named source, and
  /// gets the earlier of both times of subscription.
  ///
  /// - Parameter isNewer: whether the imported feed was synced later, so that its title, shared
  ///   attributes, source and presentation win. A presentation that one side lacks is that of the other.
  func merge(_ feed: ExportedFeed, isNewer: Bool, key: Int64) throws {
    try transaction.run(
      """
      UPDATE feed SET source = CASE WHEN $2 THEN $3 ELSE source END,
        subscribed_at = \(transaction.dialect.least)(subscribed_at, $4),
        title = CASE WHEN $2 THEN $5 ELSE title END,
        shared = CASE WHEN $2 THEN $6 ELSE shared END,
        presentation = CASE WHEN $2 THEN coalesce($7, presentation)
          ELSE coalesce(presentation, $7) END
      WHERE feed_key = $1
      """,
      [
        .number(key), .flag(isNewer), .text(feed.source), .number(feed.subscribedAt),
        .text(feed.title), .text(OfferAttribute.json(feed.shared)),
        .text(feed.presentation?.storedText),
      ])
  }

  /// Stores the source that an import names for a feed, even if the feed is unsubscribed.
  func setSource(_ source: ChosenSource, feedKey: Int64) throws {
    try transaction.run(
      "UPDATE feed SET chosen_source = $2, source_origin = $3 WHERE feed_key = $1",
      [.number(feedKey), .text(source.text), .text(source.origin?.rawValue)])
  }

  /// Forgets the document's fingerprint and validators, because the stored offers are no longer that
  /// document.
  func forgetDocument(feedKey: Int64) throws {
    try FeedTable.setDocument(nil, feedKey: feedKey, in: transaction)
    try FetchStateTable.forgetValidators(feedKey: feedKey, in: transaction)
  }
}
