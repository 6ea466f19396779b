import Foundation
import OffersCore

/// The SQL that reads and writes feeds.
package enum FeedTable {
  package static func findKey(_ name: String, in transaction: any Transaction) throws -> Int64? {
    if !StoredText.isStorable(name) { return nil }
    return try transaction.first(
      "SELECT feed_key FROM feed WHERE name = $1", [.text(name)], isFrequent: true
    ) { $0.number(0) }
  }

  /// The key of a feed that is not subscribed; nil for an unknown feed and for a subscribed one.
  package static func findFormerKey(
    _ name: String, in transaction: any Transaction
  ) throws -> Int64? {
    if !StoredText.isStorable(name) { return nil }
    return try transaction.first(
      """
      SELECT feed_key FROM feed WHERE name = $1 AND unsubscribed_at IS NOT NULL
      \(transaction.dialect.forUpdate)
      """, [.text(name)]
    ) { $0.number(0) }
  }

  /// The names of the subscribed feeds, sorted.
  package static func subscribedNames(in transaction: any Transaction) throws -> [String] {
    try transaction.rows("SELECT name FROM feed WHERE unsubscribed_at IS NULL ORDER BY name") {
      $0.text(0)
    }
  }

  /// The key of a feed that users can read: one that is subscribed or has offers. Other feeds, such
  /// as one whose first sync failed, are hidden; for them the result is nil.
  package static func findReadKey(
    _ name: String, in transaction: any Transaction
  ) throws -> Int64? {
    if !StoredText.isStorable(name) { return nil }
    return try transaction.first(
      """
      SELECT feed_key FROM feed WHERE name = $1 AND (unsubscribed_at IS NULL OR EXISTS (
        SELECT 1 FROM offer WHERE offer.feed_key = feed.feed_key))
      """, [.text(name)]
    ) { $0.number(0) }
  }

  /// The key of a feed that users can read. A feed that is defined, but not stored yet, has the key 0, which
  /// no feed has.
  ///
  /// - Throws: `OffersError` with `notFound`, whose hint names the subscribed feeds.
  package static func fetchReadKey(
    _ name: String, _ definitions: (any FeedDefinitions)?, in transaction: any Transaction
  ) throws -> Int64 {
    if let key = try findReadKey(name, in: transaction) { return key }
    guard definitions?.defines(name) == true else { throw try unknown(name, in: transaction) }
    return try findKey(name, in: transaction) ?? 0
  }

  /// Refuses a feed that users cannot read; nil stands for all feeds.
  ///
  /// - Throws: `OffersError` with `notFound`, whose hint names the subscribed feeds.
  package static func check(_ name: String?, in transaction: any Transaction) throws {
    guard let name, try findReadKey(name, in: transaction) == nil else { return }
    throw try unknown(name, in: transaction)
  }

  /// The error about a feed that users cannot read.
  package static func unknown(
    _ name: String, in transaction: any Transaction
  ) throws -> OffersError {
    OffersError(
      .notFound, "There is no feed “\(name)”.",
      hint: NearestWord.hint(
        for: name, among: try subscribedNames(in: transaction), title: "Feeds"))
  }

  /// Stores a feed, if it is unknown, and subscribes to it, unless it was unsubscribed after `time`.
  ///
  /// - Parameters:
  ///   - name: the name of the feed.
  ///   - source: the source to record if the feed is unknown.
  ///   - subscribes: whether to subscribe to the feed. A feed that never worked is stored without a
  ///     subscription, because the fetch state of its server must be remembered.
  ///   - time: the start of the sync.
  ///   - transaction: the transaction of the sync.
  /// - Returns: its key, and whether this call subscribed to the feed.
  package static func put(
    _ name: String, source: String, subscribes: Bool, at time: Date,
    in transaction: any Transaction
  ) throws -> (key: Int64, didSubscribe: Bool) {
    let time = Date(storedSeconds: time.storedSeconds)
    let inserted = try transaction.first(
      """
      INSERT INTO feed (name, source, subscribed_at, unsubscribed_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (name) DO NOTHING RETURNING feed_key
      """,
      [.text(name), .text(source), .date(time), .date(subscribes ? nil : time)]
    ) { $0.number(0) }
    if let inserted {
      if subscribes, name != Feed.initialName { try endProposal(in: transaction) }
      return (inserted, subscribes)
    }
    let found = try transaction.first(
      """
      SELECT feed_key, unsubscribed_at FROM feed WHERE name = $1 \(transaction.dialect.forUpdate)
      """, [.text(name)]
    ) { (key: $0.number(0), end: $0.findDate(1)) }
    guard let found else { throw OffersError(.storageFailed, "The feed \(name) was removed.") }
    guard subscribes, let end = found.end, end <= time else { return (found.key, false) }
    try transaction.run(
      "UPDATE feed SET unsubscribed_at = NULL, subscribed_at = $2 WHERE feed_key = $1",
      [.number(found.key), .date(time)])
    if name != Feed.initialName { try endProposal(in: transaction) }
    return (found.key, true)
  }

  /// Ends the subscription of a feed, and forgets its validators and missing offers: they become invalid if
  /// the offers change while nobody syncs them.
  ///
  /// - Returns: false when the feed was not subscribed.
  static func unsubscribe(
    from name: String, at time: Date, in transaction: any Transaction
  ) throws -> Bool {
    guard let feedKey = try endSubscription(of: name, at: time, in: transaction) else {
      return false
    }
    try FetchStateTable.delete(feedKey: feedKey, in: transaction)
    try MissingOfferTable.clear(feedKey: feedKey, in: transaction)
    return true
  }

  /// Ends the subscription of a feed.
  ///
  /// - Returns: the key of the feed; nil if it was not subscribed.
  private static func endSubscription(
    of name: String, at time: Date, in transaction: any Transaction
  ) throws -> Int64? {
    if !StoredText.isStorable(name) { return nil }
    return try transaction.first(
      """
      UPDATE feed SET unsubscribed_at = $2 WHERE name = $1 AND unsubscribed_at IS NULL
      RETURNING feed_key
      """, [.text(name), .date(time)]
    ) { $0.number(0) }
  }

  /// Stores the fingerprint of the document that the stored offers equal, nil if they equal none.
  package static func setDocument(
    _ document: DocumentFingerprint?, feedKey: Int64, in transaction: any Transaction
  ) throws {
    try transaction.run(
      """
      UPDATE feed SET document_hash = $2, document_head_hash = $3, document_bytes = $4
      WHERE feed_key = $1
      """,
      [
        .number(feedKey), .bytes(document?.hash), .bytes(document?.headHash),
        .number(document.map { Int64($0.sizeBytes) }),
      ])
  }

  /// Stores the feed's title and shared attributes, and the source that it was read from.
  package static func setDetails(
    title: String?, shared: String?, source: String, feedKey: Int64,
    in transaction: any Transaction
  ) throws {
    try transaction.run(
      """
      UPDATE feed SET title = $2, shared = $3, source = $4
      WHERE feed_key = $1 AND (title IS DISTINCT FROM $2 OR shared IS DISTINCT FROM $3 OR source <> $4)
      """, [.number(feedKey), .text(title), .text(shared), .text(source)])
  }

  /// Stores how the offers of a feed are shown, unless that is stored already; nil changes nothing.
  package static func setPresentation(
    _ presentation: FeedPresentation?, feedKey: Int64, in transaction: any Transaction
  ) throws {
    guard let presentation else { return }
    try transaction.run(
      """
      UPDATE feed SET presentation = $2
      WHERE feed_key = $1 AND presentation IS DISTINCT FROM $2
      """, [.number(feedKey), .text(presentation.storedText)])
  }

  /// How the offers of each feed are shown, where it is stored.
  package static func presentations(
    in transaction: any Transaction
  ) throws -> [String: FeedPresentation] {
    FeedPresentation.byFeed(
      try transaction.rows(
        "SELECT name, presentation FROM feed WHERE presentation IS NOT NULL ORDER BY name"
      ) { ($0.text(0), $0.findText(1)) })
  }

  /// The look of the newest current offers of a feed.
  static func fetchLook(of feed: String, in transaction: any Transaction) throws -> FeedTraits {
    guard let feedKey = try findKey(feed, in: transaction) else { return FeedTraits() }
    var look = FeedTraits(
      title: try transaction.first(
        "SELECT title FROM feed WHERE feed_key = $1", [.number(feedKey)]
      ) { $0.findText(0) }.flatMap(\.self))
    _ = try transaction.rows(
      """
      SELECT url, description IS NOT NULL, terms IS NOT NULL, reward_text IS NOT NULL,
        image_url IS NOT NULL
      FROM offer WHERE feed_key = $1 AND gone_at IS NULL AND found_at IS NULL
      ORDER BY offer_key DESC LIMIT $2
      """, [.number(feedKey), .count(FeedTraits.offerLimit)]
    ) { row in
      look.addOffer(
        url: row.findText(0), hasDescription: row.flag(1), hasTerms: row.flag(2),
        hasReward: row.flag(3), hasImage: row.flag(4))
    }
    return look
  }
}

/// The source that a person named instead of the definition's own.
extension FeedTable {
  /// Stores a named source, unless the feed was unsubscribed; nil changes nothing.
  package static func setSource(
    _ source: ChosenSource?, feedKey: Int64, in transaction: any Transaction
  ) throws {
    guard let source else { return }
    try transaction.run(
      """
      UPDATE feed SET chosen_source = $2, source_origin = $3
      WHERE feed_key = $1 AND unsubscribed_at IS NULL
        AND (chosen_source IS DISTINCT FROM $2 OR source_origin IS DISTINCT FROM $3)
      """, [.number(feedKey), .text(source.text), .text(source.origin?.rawValue)])
  }

  package static func forgetSource(of name: String, in transaction: any Transaction) throws {
    if !StoredText.isStorable(name) { return }
    try transaction.run(
      """
      UPDATE feed SET chosen_source = NULL, source_origin = NULL
      WHERE name = $1 AND chosen_source IS NOT NULL
      """, [.text(name)])
  }

  static func namedSource(_ text: String?, _ origin: String?) -> ChosenSource? {
    text.map { ChosenSource($0, origin: origin.flatMap(SourceOrigin.init)) }
  }
}

/// The stored counts of feeds, which leave out the offers that only a search on a feed's server found.
extension FeedTable {
  /// The number of the offers in the list of a feed: those of its document, and those that only a search on
  /// its server found and that somebody starred.
  static let currentCount = """
    feed.current_count + (SELECT count(*) FROM offer
      WHERE offer.feed_key = feed.feed_key AND offer.found_at IS NOT NULL
        AND offer.gone_at IS NULL AND EXISTS (
          SELECT 1 FROM favorite WHERE favorite.feed = feed.name AND favorite.id = offer.id))
    """

  /// The feeds whose stored counts are wrong, by name: the name, the stored counts of current and of gone
  /// offers, and the right ones.
  package static let miscountSQL = """
    SELECT feed.name, feed.current_count, feed.gone_count, counted.current_count, counted.gone_count
    FROM feed JOIN (\(countedSQL)) AS counted ON counted.feed_key = feed.feed_key
    WHERE (feed.current_count, feed.gone_count) <> (counted.current_count, counted.gone_count)
    ORDER BY feed.name
    """

  /// The right counts of each feed, made of its offers.
  private static let countedSQL = """
    SELECT feed.feed_key,
      count(offer.offer_key)
        FILTER (WHERE offer.gone_at IS NULL AND offer.found_at IS NULL) AS current_count,
      count(offer.gone_at) AS gone_count
    FROM feed LEFT JOIN offer ON offer.feed_key = feed.feed_key GROUP BY feed.feed_key
    """

  /// The number of the current offers of a feed's document.
  package static func fetchCurrentCount(
    feedKey: Int64, in transaction: any Transaction
  ) throws -> Int {
    try transaction.first(
      "SELECT current_count FROM feed WHERE feed_key = $1", [.number(feedKey)]
    ) { $0.count(0) } ?? 0
  }

  /// Whether a feed has an offer that was in its document once, not only found by a search.
  package static func hasOffers(feedKey: Int64, in transaction: any Transaction) throws -> Bool {
    try transaction.exists(
      "SELECT 1 FROM offer WHERE feed_key = $1 AND found_at IS NULL LIMIT 1", [.number(feedKey)])
  }

  /// Makes all offers of a feed gone, and forgets its document.
  package static func endOffers(
    feedKey: Int64, at time: Date, in transaction: any Transaction
  ) throws {
    try transaction.run(
      """
      UPDATE offer
      SET gone_at = coalesce(gone_at, \(transaction.dialect.greatest)($2, first_seen_at)),
        found_at = NULL
      WHERE feed_key = $1 AND (gone_at IS NULL OR found_at IS NOT NULL)
      """, [.number(feedKey), .date(time)])
    try transaction.run(
      """
      UPDATE feed SET current_count = 0,
        gone_count = (SELECT count(*) FROM offer WHERE offer.feed_key = feed.feed_key),
        document_hash = NULL, document_head_hash = NULL, document_bytes = NULL
      WHERE feed_key = $1
      """, [.number(feedKey)])
    try FetchStateTable.delete(feedKey: feedKey, in: transaction)
    try MissingOfferTable.clear(feedKey: feedKey, in: transaction)
  }

  /// Changes the stored counts of a feed.
  package static func add(
    _ counts: FeedCountChange, feedKey: Int64, in transaction: any Transaction
  ) throws {
    if counts == FeedCountChange() { return }
    // A count that another program has set too low stops no write.
    let greatest = transaction.dialect.greatest
    try transaction.run(
      """
      UPDATE feed SET current_count = \(greatest)(0, current_count + $2),
        gone_count = \(greatest)(0, gone_count + $3)
      WHERE feed_key = $1
      """, [.number(feedKey), .count(counts.current), .count(counts.gone)])
  }

  /// Counts the offers of all feeds anew.
  package static func count(in transaction: any Transaction) throws {
    try transaction.run(
      """
      UPDATE feed SET current_count = counted.current_count, gone_count = counted.gone_count
      FROM (\(countedSQL)) AS counted
      WHERE feed.feed_key = counted.feed_key
        AND (feed.current_count, feed.gone_count) <> (counted.current_count, counted.gone_count)
      """)
  }
}

/// A change of the stored counts of a feed, without those that only a search found.
package struct FeedCountChange: Equatable {
  /// How many more offers the feed has now.
  package var current = 0
  /// How many more stored offers are gone from the feed.
  package var gone = 0

  package init() {}
}

/// A new database of the command line proposes one feed, so that a first sync has something to read.
/// The proposal ends when the user begins with another feed.
extension FeedTable {
  /// Subscribes a new database to the proposed feed.
  package static func propose(at time: Date, in transaction: any Transaction) throws {
    try transaction.run(
      "INSERT INTO feed (name, source, subscribed_at) VALUES ($1, 'sample', $2)",
      [.text(Feed.initialName), .date(time)])
  }

  /// Unsubscribes from the proposed feed if nobody synced it or named a source for it: a user who
  /// begins with another feed did not ask for its sample.
  static func endProposal(in transaction: any Transaction) throws {
    try transaction.run(
      """
      UPDATE feed SET unsubscribed_at = subscribed_at
      WHERE name = $1 AND unsubscribed_at IS NULL AND chosen_source IS NULL
        AND NOT EXISTS (SELECT 1 FROM offer WHERE offer.feed_key = feed.feed_key)
        AND NOT EXISTS (SELECT 1 FROM sync_run WHERE sync_run.feed_key = feed.feed_key)
      """, [.text(Feed.initialName)])
  }

  /// Stores the source of a person who subscribes to the proposed feed, unless it has a named one, so
  /// that the proposal does not end later.
  static func keepProposal(source: String, in transaction: any Transaction) throws {
    try transaction.run(
      """
      UPDATE feed SET chosen_source = $2, source_origin = $3
      WHERE name = $1 AND chosen_source IS NULL
      """,
      [.text(Feed.initialName), .text(source), .text(SourceOrigin.remote.rawValue)])
  }
}
