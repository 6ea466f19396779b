import Foundation
import OffersCore

extension PostgresStore: FeedSourceRepository {
  package func fetchFeeds() async throws -> [Feed] {
    try await database.readOnce { [user] session in
      try session.rows(Self.feedsSQL, [.number(user)]).map { row in
        let name = row.text(0)
        return Feed(
          name: name, title: row.findText(1), source: row.text(2),
          currentCount: row.count(3), goneCount: row.count(4),
          favoriteCount: row.count(5), keptCount: row.count(25),
          lastRun: SyncRunTable.findRun(row, from: 7, feed: name),
          lastSuccessAt: row.findDate(6), fetch: FetchStateTable.state(row, from: 26),
          chosenSource: row.findText(23),
          presentation: FeedPresentation(storedText: row.findText(24)))
      }
    }
  }

  /// The columns with the numbers of a feed's offers and of the favorites of the user `$1`.
  private static let countColumns = """
    \(FeedTable.currentCount), feed.gone_count,
    (SELECT count(*) FROM favorite
      WHERE favorite.user_key = $1 AND favorite.feed = feed.name)
    """

  private static let feedsSQL = """
    SELECT feed.name, feed.title, coalesce(feed.chosen_source, feed.source),
      \(countColumns), good.started_at, \(SyncRunTable.lastColumns), feed.chosen_source,
      feed.presentation,
      (SELECT count(*) FROM missing_offer AS missing
        WHERE missing.feed_key = feed.feed_key AND missing.since IS NULL),
      \(FetchStateTable.selection)
    FROM feed LEFT JOIN feed_fetch ON feed_fetch.feed_key = feed.feed_key
    \(SyncRunTable.lastJoin)
    WHERE feed.unsubscribed_at IS NULL ORDER BY feed.name
    """

  package func fetchFormerFeeds() async throws -> [FormerFeed] {
    try await database.readOnce { [user] session in
      try session.rows(
        """
        SELECT feed.name, feed.title, feed.chosen_source, \(Self.countColumns)
        FROM feed WHERE feed.unsubscribed_at IS NOT NULL ORDER BY feed.name
        """, [.number(user)]
      ).map {
        FormerFeed(
          name: $0.text(0), title: $0.findText(1), source: $0.findText(2),
          currentCount: $0.count(3), goneCount: $0.count(4), favoriteCount: $0.count(5))
      }
    }
  }

  package func fetchPresentations() async throws -> [String: FeedPresentation] {
    try await database.readOnce { try FeedTable.presentations(in: $0) }
  }

  package func findSource(of feed: String) async throws -> String? {
    if feed.utf8.contains(0) { return nil }
    return try await database.readOnce { session in
      try session.rows("SELECT source FROM feed WHERE name = $1", [.text(feed)]).first?.text(0)
    }
  }

  package func subscribe(to feed: String, source: String) async throws -> Bool {
    let now = Date()
    return try await database.write { session in
      let (_, didSubscribe) = try FeedTable.put(
        feed, source: source, subscribes: true, at: now, in: session)
      if feed == Feed.initialName { try FeedTable.keepProposal(source: source, in: session) }
      return didSubscribe
    }
  }

  package func unsubscribe(from feed: String) async throws -> Bool {
    if feed.utf8.contains(0) { return false }
    let now = Date()
    return try await database.write { session in
      let row = try session.rows(
        """
        UPDATE feed SET unsubscribed_at = $2 WHERE name = $1 AND unsubscribed_at IS NULL
        RETURNING feed_key
        """, [.text(feed), .date(now)]
      ).first
      guard let row else { return false }
      // The document's validators become invalid if the offers change while nobody syncs them.
      try FetchStateTable.delete(feedKey: row.number(0), in: session)
      try MissingOfferTable.clear(feedKey: row.number(0), in: session)
      return true
    }
  }

  package func forgetSource(of feed: String) async throws {
    if feed.utf8.contains(0) { return }
    try await database.write { try FeedTable.forgetSource(of: feed, in: $0) }
  }

  package func removeOffers(of feed: String, at now: Date) async throws {
    if feed.utf8.contains(0) { return }
    var isComplete = false
    while !isComplete {
      isComplete = try await database.write(kind: .ordered) { session in
        _ = try CommitOrder(locking: session)
        guard let feedKey = try FeedTable.findFormerKey(feed, in: session) else { return true }
        try FeedTable.endOffers(feedKey: feedKey, at: now, in: session)
        let removed = try PruneTable.deleteOffers(
          ofFeed: feedKey, limit: Self.batchCount, in: session)
        if removed == Self.batchCount { return false }
        try PruneTable.deleteChanges(ofFeed: feedKey, in: session)
        return true
      }
    }
    try await removeUnusedWords()
  }
}
