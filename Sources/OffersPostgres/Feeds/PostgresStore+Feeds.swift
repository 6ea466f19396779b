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
          favoriteCount: row.count(5),
          lastRun: SyncRunTable.findRun(row, from: 7, feed: name),
          lastSuccessAt: row.findDate(6), fetch: FetchStateTable.state(row, from: 25),
          chosenSource: row.findText(23),
          presentation: FeedPresentation(storedText: row.findText(24)))
      }
    }
  }

  private static let feedsSQL = """
    SELECT feed.name, feed.title, coalesce(feed.chosen_source, feed.source),
      \(FeedTable.currentCount), feed.gone_count,
      (SELECT count(*) FROM favorite
        WHERE favorite.user_key = $1 AND favorite.feed = feed.name),
      good.started_at, \(SyncRunTable.lastColumns), feed.chosen_source,
      feed.presentation,
      \(FetchStateTable.selection)
    FROM feed LEFT JOIN feed_fetch ON feed_fetch.feed_key = feed.feed_key
    \(SyncRunTable.lastJoin)
    WHERE feed.unsubscribed_at IS NULL ORDER BY feed.name
    """

  package func fetchFormerFeeds() async throws -> [FormerFeed] {
    try await database.readOnce { session in
      try session.rows(
        """
        SELECT name, title, chosen_source FROM feed WHERE unsubscribed_at IS NOT NULL ORDER BY name
        """
      ).map { FormerFeed(name: $0.text(0), title: $0.findText(1), source: $0.findText(2)) }
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
}
