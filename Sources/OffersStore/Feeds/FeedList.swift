import OffersCore

/// The feeds with the numbers of their offers.
enum FeedList {
  /// The columns with the numbers of a feed's offers and of the favorites of the user `$1`.
  private static let counts = """
    \(FeedTable.currentCount), feed.gone_count,
    (SELECT count(*) FROM favorite
      WHERE favorite.user_key = $1 AND favorite.feed = feed.name)
    """

  /// The subscribed feeds, by name.
  static func subscribed(of user: User.ID, in transaction: any Transaction) throws -> [Feed] {
    try transaction.rows(
      """
      SELECT feed.name, feed.title, coalesce(feed.chosen_source, feed.source),
        \(counts), good.started_at, \(SyncRunTable.lastColumns),
        feed.chosen_source, feed.presentation,
        (SELECT count(*) FROM missing_offer AS missing
          WHERE missing.feed_key = feed.feed_key AND missing.since IS NULL),
        \(FetchStateTable.selection)
      FROM feed LEFT JOIN feed_fetch ON feed_fetch.feed_key = feed.feed_key
      \(SyncRunTable.lastJoin)
      WHERE feed.unsubscribed_at IS NULL ORDER BY feed.name
      """, [.number(user)]
    ) { row in
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

  /// The feeds that are stored but not subscribed, by name: they were unsubscribed, or never synced
  /// successfully.
  static func former(of user: User.ID, in transaction: any Transaction) throws -> [FormerFeed] {
    try transaction.rows(
      """
      SELECT feed.name, feed.title, feed.chosen_source, \(counts)
      FROM feed WHERE feed.unsubscribed_at IS NOT NULL ORDER BY feed.name
      """, [.number(user)]
    ) {
      FormerFeed(
        name: $0.text(0), title: $0.findText(1), source: $0.findText(2),
        currentCount: $0.count(3), goneCount: $0.count(4), favoriteCount: $0.count(5))
    }
  }
}
