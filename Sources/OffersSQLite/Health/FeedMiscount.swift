import GRDB

/// A feed whose stored count of current offers is wrong.
struct FeedMiscount {
  let name: String
  private let key: Int64
  let stored: Int
  let counted: Int

  /// Counts the current offers of each feed and returns the feeds whose stored count differs,
  /// sorted by name.
  static func find(in database: Database) throws -> [FeedMiscount] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT feed.name, feed.feed_key, current_count, coalesce(counted.number, 0) AS number
        FROM feed LEFT JOIN (
          SELECT feed_key, count(*) AS number FROM offer WHERE gone_at IS NULL GROUP BY +feed_key
        ) AS counted USING (feed_key)
        WHERE current_count <> coalesce(counted.number, 0) ORDER BY feed.name
        """
    ).map {
      FeedMiscount(
        name: $0["name"], key: $0["feed_key"], stored: $0["current_count"], counted: $0["number"])
    }
  }

  /// Corrects the stored counts. Returns the feeds whose count was wrong.
  @discardableResult
  static func correct(in database: Database) throws -> [FeedMiscount] {
    let wrong = try find(in: database)
    for feed in wrong {
      try database.execute(
        sql: "UPDATE feed SET current_count = ? WHERE feed_key = ?",
        arguments: [feed.counted, feed.key])
    }
    return wrong
  }
}
