import Foundation
import GRDB
import OffersCore

/// The removal of the offers of a feed that is not subscribed, in three steps: all offers become
/// gone, those that nobody starred are removed, and so is the history that concerns no favorite.
enum FeedRemoval {
  /// Makes all offers of a feed gone, and forgets its document.
  ///
  /// - Returns: the key of the feed; nil for an unknown feed and for a subscribed one.
  static func begin(_ name: String, at seconds: Int64, in database: Database) throws -> Int64? {
    let feedKey = try Int64.fetchOne(
      database,
      sql: """
        SELECT feed_key FROM feed JOIN feed_detail USING (feed_key)
        WHERE name = ? AND unsubscribed_at IS NOT NULL
        """, arguments: [name.lookedUp])
    guard let feedKey else { return nil }
    try database.execute(
      sql: "DELETE FROM found_offer WHERE feed_key = ?", arguments: [feedKey])
    try database.execute(
      sql: """
        UPDATE offer SET gone_at = max(?, first_seen_at) WHERE feed_key = ? AND gone_at IS NULL
        """, arguments: [seconds, feedKey])
    try FeedTable.setDocument(
      nil, addingCurrent: -(try FeedTable.fetchCurrentCount(feedKey: feedKey, in: database)),
      feedKey: feedKey, in: database)
    for table in ["feed_fetch", "missing_offer"] {
      try database.execute(
        sql: "DELETE FROM \(table) WHERE feed_key = ?", arguments: [feedKey])
    }
    return feedKey
  }

  /// Removes some of a feed's gone offers that nobody starred, with their changes. The newest offer
  /// of the database stays until `end`.
  ///
  /// - Returns: the number of removed offers.
  static func removeOffers(feedKey: Int64, limit: Int, in database: Database) throws -> Int {
    let keys = try Int64.fetchAll(
      database,
      sql: """
        SELECT offer_key FROM offer
        WHERE feed_key = ? AND gone_at IS NOT NULL AND NOT \(PruneTable.isFavorite)
          AND offer_key <> (SELECT max(offer_key) FROM offer)
        ORDER BY offer_key LIMIT ?
        """, arguments: [feedKey, limit])
    try release(try newestChange(of: keys, in: database), in: database)
    return try PruneTable.delete(keys, goneBefore: .max, in: database).offers
  }

  /// Removes the changes that concern no favorite, and the newest offer of the database if it is one
  /// of the feed that nobody starred.
  ///
  /// The key of that offer is given to the next one of any feed. So it stays, as a gone offer, while a
  /// change with a favorite stands for it as well; pruning removes it later.
  static func end(feedKey: Int64, in database: Database) throws {
    let favorites = try FavoriteTable.sortedKeys(of: nil, in: database)
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT change.change_id, change.offer_key, \(ChangeSpan.offerCountSQL)
        FROM \(ChangeSpan.rows) CROSS JOIN sync_run AS run ON run.run_id = change.run_id
        WHERE run.feed_key = ? ORDER BY change.change_id
        """, arguments: [feedKey])
    let doomed = rows.filter { favorites.find(upTo: $0[1], count: $0[2]).isEmpty }.map {
      PruneTable.OldChange(id: $0[0], offerCount: $0[2], offerKey: $0[1], isNew: true)
    }
    let newestID = try Int64.fetchOne(database, sql: "SELECT max(change_id) FROM change")
    try PruneTable.delete(doomed.filter { $0.id != newestID }, in: database)
    try release(doomed.last { $0.id == newestID }?.id, in: database)
    let newest = try Int64.fetchOne(
      database,
      sql: """
        SELECT offer_key FROM offer
        WHERE offer_key = (SELECT max(offer_key) FROM offer) AND feed_key = ?
          AND gone_at IS NOT NULL AND NOT \(PruneTable.isFavorite)
          AND NOT EXISTS (SELECT 1 FROM change WHERE change.offer_key >= offer.offer_key)
        """, arguments: [feedKey])
    if let newest { _ = try PruneTable.delete([newest], goneBefore: .max, in: database) }
  }

  /// The newest change of the database, if it is one of some offers and not of the kind `new`.
  private static func newestChange(of offers: [Int64], in database: Database) throws -> Int64? {
    let newest = try Row.fetchOne(
      database, sql: "SELECT change_id, offer_key, kind FROM change ORDER BY change_id DESC LIMIT 1"
    )
    guard let newest, newest[2] as String != "new", offers.contains(newest[1]) else { return nil }
    return newest[0]
  }

  /// Separates the newest change from its offers. Its number must not be given to another change, so
  /// the row stays.
  private static func release(_ change: Int64?, in database: Database) throws {
    guard let change else { return }
    for table in ["first_sync", "new_offers"] {
      try database.execute(sql: "DELETE FROM \(table) WHERE change_id = ?", arguments: [change])
    }
    try database.execute(
      sql: "UPDATE change SET offer_key = 0 WHERE change_id = ?", arguments: [change])
  }
}

extension OffersDatabase {
  package func removeOffers(of feed: String, at now: Date) async throws {
    let seconds = now.storedSeconds
    let found = try await write { try FeedRemoval.begin(feed, at: seconds, in: $0) }
    guard let feedKey = found else { return }
    // Other writers wait for a transaction, so each removes a bounded number of offers.
    let limit = Self.batchSize / 5
    while try await write(
      .unchecked, { try FeedRemoval.removeOffers(feedKey: feedKey, limit: limit, in: $0) == limit })
    {
      try await Self.letOthersWrite()
    }
    try await write(.unchecked) { try FeedRemoval.end(feedKey: feedKey, in: $0) }
  }
}
