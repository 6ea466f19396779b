import Foundation
import OffersCore

/// The SQL that reads and writes feeds.
enum FeedTable {
  static func findKey(_ name: String, in session: DatabaseSession) throws -> Int64? {
    if name.utf8.contains(0) { return nil }
    return try session.rows("SELECT feed_key FROM feed WHERE name = $1", [.text(name)])
      .first?.number(0)
  }

  /// The names of the subscribed feeds, sorted.
  static func subscribedNames(in session: DatabaseSession) throws -> [String] {
    try session.rows("SELECT name FROM feed WHERE unsubscribed_at IS NULL ORDER BY name")
      .map { $0.text(0) }
  }

  /// Refuses a feed that is neither subscribed nor has offers.
  ///
  /// - Throws: `OffersError` with `notFound`, whose hint names the subscribed feeds.
  static func check(_ name: String?, in session: DatabaseSession) throws {
    guard let name else { return }
    let isKnown =
      try !name.utf8.contains(0)
      && session.rows(
        """
        SELECT 1 FROM feed WHERE name = $1 AND (unsubscribed_at IS NULL OR EXISTS (
          SELECT 1 FROM offer WHERE offer.feed_key = feed.feed_key))
        """, [.text(name)]
      ).count > 0
    if isKnown { return }
    throw OffersError(
      .notFound, "There is no feed “\(name)”.",
      hint: NearestWord.hint(
        for: name, among: try subscribedNames(in: session), title: "Feeds"))
  }

  /// Stores a feed, if it is unknown, and subscribes to it, unless it was unsubscribed after `time`.
  ///
  /// - Returns: its key, and whether this call subscribed to the feed.
  static func put(
    _ name: String, source: String, subscribes: Bool, at time: Date, in session: DatabaseSession
  ) throws -> (key: Int64, didSubscribe: Bool) {
    let inserted = try session.rows(
      """
      INSERT INTO feed (name, source, subscribed_at, unsubscribed_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (name) DO NOTHING RETURNING feed_key
      """,
      [.text(name), .text(source), .date(time), subscribes ? .null : .date(time)]
    ).first
    if let inserted {
      if subscribes, name != Feed.initialName { try endProposal(in: session) }
      return (inserted.number(0), subscribes)
    }
    let found = try session.rows(
      "SELECT feed_key, unsubscribed_at FROM feed WHERE name = $1 FOR NO KEY UPDATE",
      [.text(name)]
    ).first
    guard let found else { throw OffersError(.storageFailed, "The feed \(name) was removed.") }
    let key = found.number(0)
    guard subscribes, let end = found.findDate(1), end <= time else { return (key, false) }
    try session.run(
      "UPDATE feed SET unsubscribed_at = NULL, subscribed_at = $2 WHERE feed_key = $1",
      [.number(key), .date(time)])
    if name != Feed.initialName { try endProposal(in: session) }
    return (key, true)
  }

  /// Stores a named source, unless the feed was unsubscribed.
  static func setSource(_ source: NamedSource?, feedKey: Int64, in session: DatabaseSession) throws
  {
    guard let source else { return }
    try session.run(
      """
      UPDATE feed SET chosen_source = $2, source_origin = $3
      WHERE feed_key = $1 AND unsubscribed_at IS NULL
      """, [.number(feedKey), .text(source.text), .text(source.origin?.rawValue)])
  }

  /// The key of a feed that is not subscribed; nil for an unknown feed and for a subscribed one.
  static func findFormerKey(_ name: String, in session: DatabaseSession) throws -> Int64? {
    try session.rows(
      "SELECT feed_key FROM feed WHERE name = $1 AND unsubscribed_at IS NOT NULL FOR NO KEY UPDATE",
      [.text(name)]
    ).first?.number(0)
  }

  /// Makes all offers of a feed gone, and forgets its document.
  static func endOffers(feedKey: Int64, at time: Date, in session: DatabaseSession) throws {
    try session.run(
      """
      UPDATE offer SET gone_at = coalesce(gone_at, greatest($2, first_seen_at)), found_at = NULL
      WHERE feed_key = $1 AND (gone_at IS NULL OR found_at IS NOT NULL)
      """, [.number(feedKey), .date(time)])
    try session.run(
      """
      UPDATE feed SET current_count = 0,
        gone_count = (SELECT count(*) FROM offer WHERE offer.feed_key = feed.feed_key),
        document_hash = NULL, document_head_hash = NULL, document_bytes = NULL
      WHERE feed_key = $1
      """, [.number(feedKey)])
    try FetchStateTable.delete(feedKey: feedKey, in: session)
    try MissingOfferTable.clear(feedKey: feedKey, in: session)
  }

  /// Forgets the named source of a feed.
  static func forgetSource(of name: String, in session: DatabaseSession) throws {
    try session.run(
      """
      UPDATE feed SET chosen_source = NULL, source_origin = NULL
      WHERE name = $1 AND chosen_source IS NOT NULL
      """, [.text(name)])
  }

  /// Stores how the offers of a feed are shown, unless that is stored already; nil changes nothing.
  static func setPresentation(
    _ presentation: FeedPresentation?, feedKey: Int64, in session: DatabaseSession
  ) throws {
    guard let presentation else { return }
    try session.run(
      """
      UPDATE feed SET presentation = $2
      WHERE feed_key = $1 AND presentation IS DISTINCT FROM $2
      """, [.number(feedKey), .text(presentation.storedText)])
  }

  /// How the offers of each feed are shown, where it is stored.
  static func presentations(in session: DatabaseSession) throws -> [String: FeedPresentation] {
    let rows = try session.rows(
      "SELECT name, presentation FROM feed WHERE presentation IS NOT NULL ORDER BY name")
    return FeedPresentation.byFeed(rows.map { ($0.text(0), $0.findText(1)) })
  }

  static func namedSource(_ text: String?, _ origin: String?) -> NamedSource? {
    text.map { NamedSource($0, origin: origin.flatMap(SourceOrigin.init)) }
  }

  /// Changes the stored numbers of a feed's offers.
  static func add(_ counts: FeedCounts, feedKey: Int64, in session: DatabaseSession) throws {
    if counts == FeedCounts() { return }
    try session.run(
      """
      UPDATE feed SET current_count = current_count + $2, gone_count = gone_count + $3
      WHERE feed_key = $1
      """, [.number(feedKey), .number(Int64(counts.current)), .number(Int64(counts.gone))])
  }

  /// Counts the offers of all feeds anew.
  static func count(in session: DatabaseSession) throws {
    try session.run(
      """
      UPDATE feed SET current_count = counted.current_count, gone_count = counted.gone_count
      FROM (
        SELECT feed.feed_key,
          count(offer.offer_key)
            FILTER (WHERE offer.gone_at IS NULL AND offer.found_at IS NULL) AS current_count,
          count(offer.gone_at) AS gone_count
        FROM feed LEFT JOIN offer ON offer.feed_key = feed.feed_key GROUP BY feed.feed_key
      ) AS counted
      WHERE feed.feed_key = counted.feed_key
        AND (feed.current_count, feed.gone_count)
          IS DISTINCT FROM (counted.current_count, counted.gone_count)
      """)
  }

  /// The number of the offers in the list of a feed: those of its document, and those that only a search
  /// found and that somebody starred, of which there are few.
  static let currentCount = """
    feed.current_count + (SELECT count(*) FROM offer
      WHERE offer.feed_key = feed.feed_key AND offer.found_at IS NOT NULL
        AND \(OfferColumns.isCurrent))
    """
}

/// A change of the stored numbers of a feed's offers, without those that only a search found.
struct FeedCounts: Equatable {
  /// The number of offers that the feed has now.
  var current = 0
  /// The number of stored offers that are gone from the feed.
  var gone = 0
}
