import Foundation
import GRDB
import OffersCore
import OffersStore

/// The removal of the offers of a feed that is not subscribed, in three steps: all offers become
/// gone, those that nobody starred are removed, and so is the history that concerns no favorite.
enum FeedRemoval {
  /// Makes all offers of a feed gone, and forgets its document.
  ///
  /// - Returns: the key of the feed; nil for an unknown feed and for a subscribed one.
  static func begin(_ name: String, at seconds: Int64, in database: Database) throws -> Int64? {
    let transaction = SQLiteTransaction(database)
    guard let feedKey = try FeedTable.findFormerKey(name, in: transaction) else { return nil }
    try FeedTable.endOffers(
      feedKey: feedKey, at: Date(storedSeconds: seconds), in: transaction)
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

  /// Removes the changes that concern no favorite, and the newest offer of the database if it is one of
  /// the feed that nobody starred.
  static func end(feedKey: Int64, in database: Database) throws {
    let favorites = try FavoriteQuery.sortedKeys(of: nil, in: database)
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
    try removeNewestOffer(feedKey: feedKey, in: database)
  }

  /// Removes the newest offer of the database if it is one of the feed that nobody starred. The next offer
  /// of any feed gets its key, so no change may stand for that key.
  private static func removeNewestOffer(feedKey: Int64, in database: Database) throws {
    let newest = try Int64.fetchOne(
      database,
      sql: """
        SELECT offer_key FROM offer
        WHERE offer_key = (SELECT max(offer_key) FROM offer) AND feed_key = ?
          AND gone_at IS NOT NULL AND NOT \(PruneTable.isFavorite)
        """, arguments: [feedKey])
    guard let newest else { return }
    _ = try PruneTable.delete([newest], goneBefore: .max, in: database)
    let lastKey = try Int64.fetchOne(database, sql: "SELECT max(offer_key) FROM offer") ?? 0
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT change.change_id, change.offer_key, \(ChangeSpan.offerCountSQL)
        FROM \(ChangeSpan.rows) WHERE change.offer_key > ?
        """, arguments: [lastKey])
    for row in rows {
      let span = ChangeSpan(lastID: row[0], lastKey: row[1], offerCount: row[2])
      try shorten(span, to: lastKey, in: database)
    }
  }

  /// Makes a span end with the offer `lastKey`, under the change number of that offer. The row of its last
  /// number is removed, or stays without an offer if it is the newest change.
  private static func shorten(
    _ span: ChangeSpan, to lastKey: Int64, in database: Database
  ) throws {
    let count = span.offerCount - (span.lastKey - lastKey)
    if count > 0 {
      let id = span.id(of: lastKey)
      try database.execute(
        sql: """
          INSERT INTO change (change_id, run_id, offer_key, kind)
          SELECT ?, run_id, ?, kind FROM change WHERE change_id = ?
          """, arguments: [id, lastKey, span.lastID])
      if count > 1 {
        try database.execute(
          sql: "INSERT INTO new_offers (change_id, offer_count) VALUES (?, ?)",
          arguments: [id, count])
      }
      try database.execute(
        sql: "UPDATE first_sync SET change_id = ? WHERE change_id = ?",
        arguments: [id, span.lastID])
    }
    try release(span.lastID, in: database)
    try database.execute(
      sql: """
        DELETE FROM change WHERE change_id = ? AND change_id < (SELECT max(change_id) FROM change)
        """, arguments: [span.lastID])
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
