import Foundation
import GRDB
import OffersCore

/// The SQL for feeds.
enum FeedTable {
  static func findKey(_ name: String, in database: Database) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT feed_key FROM feed WHERE name = ?"),
      arguments: [name.lookedUp])
  }

  /// The key of a feed that users can read: one that is subscribed or has offers. Other feeds, such
  /// as one whose first sync failed, are hidden; for them the result is nil.
  static func findReadKey(_ name: String, in database: Database) throws -> Int64? {
    try Int64.fetchOne(
      database,
      sql: """
        SELECT feed_key FROM feed JOIN feed_detail USING (feed_key)
        WHERE name = ? AND (unsubscribed_at IS NULL
          OR EXISTS (SELECT 1 FROM offer WHERE offer.feed_key = feed.feed_key))
        """,
      arguments: [name.lookedUp])
  }

  static func hasOffers(feedKey: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM offer WHERE feed_key = ?)",
      arguments: [feedKey]) ?? false
  }

  /// Whether a feed has an offer that was in its document once, not only found by a search.
  static func hasListedOffers(feedKey: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (SELECT 1 FROM offer WHERE feed_key = ? AND NOT EXISTS (
          SELECT 1 FROM found_offer WHERE found_offer.offer_key = offer.offer_key))
        """, arguments: [feedKey]) ?? false
  }

  /// The stored number of the feed's current offers.
  static func fetchCurrentCount(feedKey: Int64, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT current_count FROM feed WHERE feed_key = ?", arguments: [feedKey]) ?? 0
  }

  /// The number of current offers of a feed, or of all feeds, unsubscribed ones included.
  static func countCurrent(of feed: String?, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT sum(current_count) FROM feed WHERE ?1 IS NULL OR name = ?1",
      arguments: [feed?.lookedUp]) ?? 0
  }

  /// The number of those current offers that have expired at a time.
  static func countExpired(of feed: String?, at now: Date, in database: Database) throws -> Int {
    try Int.fetchOne(
      database,
      sql: """
        SELECT count(*)
        FROM offer_detail AS detail INDEXED BY offer_detail_by_expiry
        CROSS JOIN offer ON offer.offer_key = detail.offer_key
        CROSS JOIN feed ON feed.feed_key = offer.feed_key
        WHERE detail.expires_at <= ?1 AND offer.gone_at IS NULL AND (?2 IS NULL OR feed.name = ?2)
        """, arguments: [now.storedSeconds, feed?.lookedUp]) ?? 0
  }

  static func names(in database: Database) throws -> [String] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT name FROM feed JOIN feed_detail USING (feed_key)
        WHERE unsubscribed_at IS NULL ORDER BY name
        """)
    return try String.fetchAll(statement)
  }

  static func findState(_ name: String, in database: Database) throws -> SyncState? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT unsubscribed_at IS NULL AS is_subscribed,
          chosen_source, source_origin, current_count, document_hash, document_head_hash, document_bytes,
          (SELECT run.source FROM sync_run AS run
            WHERE run.feed_key = feed.feed_key AND run.outcome IN ('updated', 'unchanged')
            ORDER BY run.run_id DESC LIMIT 1) AS last_good_source,
          -- A failed run that did not raise the failure count was a trial of another source.
          (SELECT run.started_at FROM sync_run AS run
            WHERE run.feed_key = feed.feed_key
              AND (run.outcome <> 'failed' OR ifnull(feed_fetch.failure_count, 1) > 0)
            ORDER BY run.run_id DESC LIMIT 1) AS last_run_at,
          \(FetchStateTable.selection)
        FROM feed JOIN feed_detail USING (feed_key) LEFT JOIN feed_fetch USING (feed_key)
        WHERE name = ? AND (
          unsubscribed_at IS NULL OR chosen_source IS NOT NULL OR feed_fetch.feed_key IS NOT NULL)
        """)
    return try Row.fetchOne(statement, arguments: [name.lookedUp]).map { row in
      let lastRunAt = (row["last_run_at"] as Int64?).map(Date.init(storedSeconds:))
      let source = namedSource(from: row)
      guard row["is_subscribed"] else {
        return SyncState(
          source: source, document: nil, currentCount: 0, lastGoodSource: nil,
          lastRunAt: lastRunAt, fetch: FetchStateTable.state(from: row))
      }
      var document: DocumentFingerprint?
      if let hash = row["document_hash"] as Data?, let head = row["document_head_hash"] as Data?,
        let size = row["document_bytes"] as Int?
      {
        document = DocumentFingerprint(hash: Array(hash), headHash: Array(head), sizeBytes: size)
      }
      return SyncState(
        source: source, document: document, currentCount: row["current_count"],
        lastGoodSource: row["last_good_source"],
        lastRunAt: lastRunAt,
        fetch: FetchStateTable.state(from: row))
    }
  }

  /// Stores the fingerprint of the document that the stored offers now equal, nil if they equal
  /// none, and adds `difference` to the number of current offers.
  static func setDocument(
    _ document: DocumentFingerprint?, addingCurrent difference: Int, feedKey: Int64,
    in database: Database
  ) throws {
    try database.execute(
      sql: """
        UPDATE feed SET
          document_hash = ?, document_head_hash = ?, document_bytes = ?,
          current_count = current_count + ?
        WHERE feed_key = ?
        """,
      arguments: [
        document.map { Data($0.hash) }, document.map { Data($0.headHash) }, document?.sizeBytes,
        difference, feedKey,
      ])
  }

  /// Stores a named source, unless the feed was unsubscribed meanwhile.
  static func setSource(_ source: NamedSource, feedKey: Int64, in database: Database) throws {
    try StoredText.check(source.text)
    try database.cachedStatement(
      sql: """
        UPDATE feed_detail SET chosen_source = ?1, source_origin = ?2
        WHERE feed_key = ?3 AND (chosen_source IS NOT ?1 OR source_origin IS NOT ?2)
          AND unsubscribed_at IS NULL
        """
    ).execute(arguments: [source.text, source.origin?.rawValue, feedKey])
  }

  /// The source that was named for a feed instead of its definition's own; nil if none was.
  static func findSource(feedKey: Int64, in database: Database) throws -> NamedSource? {
    try Row.fetchOne(
      database, sql: "SELECT chosen_source, source_origin FROM feed_detail WHERE feed_key = ?",
      arguments: [feedKey]
    ).flatMap(namedSource)
  }

  private static func namedSource(from row: Row) -> NamedSource? {
    (row["chosen_source"] as String?).map {
      NamedSource($0, origin: (row["source_origin"] as String?).flatMap(SourceOrigin.init))
    }
  }

  /// Stores the feed's title and shared attributes, and the source it was read from.
  static func setDetails(
    title: String?, shared: String?, source: String, feedKey: Int64, in database: Database
  ) throws {
    try database.execute(
      sql: """
        UPDATE feed_detail SET title = ?1, shared = ?2
        WHERE feed_key = ?3 AND (title IS NOT ?1 OR shared IS NOT ?2)
        """,
      arguments: [title, shared, feedKey])
    try database.execute(
      sql: "UPDATE feed SET source = ?1 WHERE feed_key = ?2 AND source <> ?1",
      arguments: [source, feedKey])
  }

  /// Stores how the offers of a feed are shown, unless that is stored already; nil changes nothing.
  static func setPresentation(
    _ presentation: FeedPresentation?, feedKey: Int64, in database: Database
  ) throws {
    guard let presentation else { return }
    try database.cachedStatement(
      sql: """
        UPDATE feed_detail SET presentation = ?1 WHERE feed_key = ?2 AND presentation IS NOT ?1
        """
    ).execute(arguments: [presentation.storedText, feedKey])
  }

  /// How the offers of each feed are shown, where it is stored.
  static func presentations(in database: Database) throws -> [String: FeedPresentation] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT name, presentation FROM feed JOIN feed_detail USING (feed_key)
        WHERE presentation IS NOT NULL ORDER BY name
        """)
    return FeedPresentation.byFeed(rows.map { ($0["name"], $0["presentation"]) })
  }

  /// Forgets the named source of a feed.
  static func forgetSource(of name: String, in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE feed_detail SET chosen_source = NULL, source_origin = NULL
        WHERE feed_key = (SELECT feed_key FROM feed WHERE name = ?)
        """, arguments: [name.lookedUp])
  }

  /// The feeds that are stored but not subscribed: they were unsubscribed, or never synced
  /// successfully.
  static func former(of user: User.ID, in database: Database) throws -> [FormerFeed] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT name, title, chosen_source, current_count, \(counts)
        FROM feed JOIN feed_detail USING (feed_key)
        WHERE unsubscribed_at IS NOT NULL ORDER BY name
        """, arguments: [user]
    ).map {
      FormerFeed(
        name: $0["name"], title: $0["title"], source: $0["chosen_source"],
        currentCount: $0["current_count"], goneCount: $0["gone_count"],
        favoriteCount: $0["favorite_count"])
    }
  }

  /// The columns with the numbers of a feed's gone offers and of a user's favorites, who is the first
  /// argument.
  private static let counts = """
    (SELECT count(*) FROM offer WHERE offer.feed_key = feed.feed_key) - current_count
      - (SELECT count(*) FROM found_offer
        WHERE found_offer.feed_key = feed.feed_key AND is_listed = 0) AS gone_count,
    (SELECT count(*) FROM favorite
      WHERE favorite.user_key = ? AND favorite.feed = feed.name) AS favorite_count
    """

  static func all(of user: User.ID, in database: Database) throws -> [Feed] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT feed_key, name, title, coalesce(chosen_source, source) AS source, chosen_source,
          presentation, current_count, \(counts),
          (SELECT count(*) FROM missing_offer AS missing
            WHERE missing.feed_key = feed.feed_key AND missing.since IS NULL) AS kept_count,
          \(FetchStateTable.selection)
        FROM feed JOIN feed_detail USING (feed_key) LEFT JOIN feed_fetch USING (feed_key)
        WHERE unsubscribed_at IS NULL ORDER BY name
        """, arguments: [user])
    return try rows.map { row in
      let key: Int64 = row["feed_key"]
      return Feed(
        name: row["name"], title: row["title"], source: row["source"],
        currentCount: row["current_count"],
        goneCount: row["gone_count"], favoriteCount: row["favorite_count"],
        keptCount: row["kept_count"],
        lastRun: try SyncRunTable.findLast(feedKey: key, feed: row["name"], in: database),
        lastSuccessAt: try SyncRunTable.findLastSuccess(feedKey: key, in: database),
        fetch: FetchStateTable.state(from: row), chosenSource: row["chosen_source"],
        presentation: FeedPresentation(storedText: row["presentation"]))
    }
  }
}
