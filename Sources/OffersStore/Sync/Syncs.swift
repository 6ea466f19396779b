import Foundation
import OffersCore

extension OffersDatabase {
  /// Runs `body` under a lock that excludes other syncs of this feed in all processes.
  ///
  /// - Throws: `OffersError` with `locked` when the lock is still held after `waitSeconds`. A lock
  ///   that a dead process held is free.
  package func withSyncLock<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await engine.withSyncLocks(on: [feed], waitSeconds: waitSeconds, body)
  }

  /// The feed's stored offers, to compare with. Empty for an unknown feed.
  package func fetchKnownOffers(of feed: String) async throws -> KnownOffers {
    try await transaction(.read) { transaction in
      guard let feedKey = try FeedTable.findKey(feed, in: transaction) else {
        return KnownOffers(capacity: 0)
      }
      return try SyncStateQuery.knownOffers(feedKey: feedKey, in: transaction)
    }
  }

  /// Applies a difference and records the run in one transaction: all of it or nothing.
  ///
  /// - Returns: the run as recorded, with the counts that only the store can determine (new or
  ///   repeated ids, changed or merely rewritten offers).
  package func apply(_ plan: SyncPlan) async throws -> SyncRun {
    try await transaction(.sync) { [user] transaction in
      try DifferenceWriter(plan, of: user, isIndexed: plan.isIndexed, in: transaction).apply()
    }
  }

  /// The maximum number of changes that a preview lists, the newest ones. The counts of its run include
  /// all changes.
  private var previewLimit: Int { 1000 }

  /// The run and the changes that applying a difference would record, in order. Nothing is written.
  /// A store may list only the newest changes.
  package func preview(_ plan: SyncPlan) async throws -> (run: SyncRun, changes: [OfferChange]) {
    try await transaction(.trial) { [user, previewLimit] transaction in
      var query = ChangeQuery(limit: previewLimit, now: plan.run.startedAt)
      query.afterID = try ChangeTable.fetchLastID(in: transaction)
      query.kinds = Set(OfferChange.Kind.allCases).subtracting([.expiring])
      let run = try DifferenceWriter(plan, of: user, isIndexed: false, in: transaction).apply()
      return (run, try SelectedChanges(query, of: user, in: transaction).changes())
    }
  }

  /// Records a run that changes no offer.
  ///
  /// - Parameters:
  ///   - run: the run to record.
  ///   - source: the source to use from now on and its origin; nil to keep both.
  ///   - fetch: the new fetch state; nil to keep the stored one.
  ///   - presentation: how the offers of the feed are shown, by its definition; nil to keep what is
  ///     stored.
  package func record(
    _ run: SyncRun, remember source: ChosenSource?, fetch: FetchState?,
    presentation: FeedPresentation?
  ) async throws {
    // A named source is a user's choice and must be durable.
    try await transaction(source == nil ? .syncNote : .sync) { transaction in
      var order = try CommitOrder(locking: transaction)
      let feedKey = try FeedTable.put(
        run.feed, source: source?.text ?? run.source, subscribes: run.outcome != .failed,
        at: run.startedAt, in: transaction
      ).key
      try SyncRunTable.insert(run, id: order.nextRunID(), feedKey: feedKey, in: transaction)
      try FeedTable.setSource(source, feedKey: feedKey, in: transaction)
      if let fetch { try FetchStateTable.save(fetch, feedKey: feedKey, in: transaction) }
      try FeedTable.setPresentation(presentation, feedKey: feedKey, in: transaction)
      try order.save(in: transaction)
    }
  }

  /// Gives current offers of the feed the ids under which its document has them (`OfferRenaming`), with
  /// their stars and notices. They keep their history and their times.
  ///
  /// - Parameters:
  ///   - newOffers: the offers of the document that the store does not have.
  ///   - missingKeys: the keys of the current offers that the document lacks.
  /// - Returns: the number of offers with other ids.
  package func renameOffers(
    of feed: String, as newOffers: [RenameCandidate], missingKeys: [Int64]
  ) async throws -> Int {
    // Most documents have none, and need no write transaction.
    let none = try await transaction(.read) { transaction in
      try RenamedOffers.find(of: feed, newOffers, missingKeys, in: transaction).isEmpty
    }
    if none { return 0 }
    return try await transaction(.sync) { transaction in
      let order = try CommitOrder(locking: transaction)
      let renames = try RenamedOffers.find(of: feed, newOffers, missingKeys, in: transaction)
      for rename in renames { try RenamedOffers.rename(rename, of: feed, in: transaction) }
      try order.save(in: transaction)
      return renames.count
    }
  }
}

/// The SQL that finds offers whose ids have changed, and gives them their new ids.
enum RenamedOffers {
  /// Finds the stored offers that a document has under other ids.
  ///
  /// - Parameters:
  ///   - feed: the name of the feed.
  ///   - newOffers: the offers of its document that are not stored.
  ///   - missingKeys: the keys of the stored offers that its document lacks.
  ///   - transaction: reads the offers.
  static func find(
    of feed: String, _ newOffers: [RenameCandidate], _ missingKeys: [Int64],
    in transaction: any Transaction
  ) throws -> [OfferRenaming.Rename] {
    guard let feedKey = try FeedTable.findKey(feed, in: transaction) else { return [] }
    func see(_ renaming: inout OfferRenaming, _ row: any SQLRow) {
      guard let url = row.findUTF8(2), let name = row.findUTF8(3) else { return }
      renaming.see(key: row.number(0), id: row.text(1), url: url, name: name)
    }
    let sql = """
      SELECT offer_key, id, url, name FROM offer
      WHERE feed_key = $1 AND gone_at IS NULL AND found_at IS NULL AND url IS NOT NULL
      """
    // The missing ones first, which are few.
    var renaming = OfferRenaming(newOffers, missingKeys: missingKeys)
    let isMissing = transaction.dialect.isElement("offer_key", of: "$2")
    try transaction.scan(
      "\(sql) AND \(isMissing)", [.number(feedKey), .numbers(missingKeys)]
    ) {
      see(&renaming, $0)
      return true
    }
    if renaming.renames.isEmpty { return [] }
    renaming = OfferRenaming(newOffers, missingKeys: missingKeys)
    try transaction.forEach(sql, [.number(feedKey)]) { see(&renaming, $0) }
    return renaming.renames
  }

  /// Gives an offer its new id, in favorites and notices as well.
  static func rename(
    _ rename: OfferRenaming.Rename, of feed: String, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "UPDATE offer SET id = $1 WHERE offer_key = $2", [.text(rename.newID), .number(rename.key)])
    for (table, other) in [
      ("favorite", ""), ("notice", "AND other.kind = own.kind AND other.about = own.about"),
    ] {
      // A star that somebody has set under the new id already gives way to the older one.
      try transaction.run(
        """
        DELETE FROM \(table) AS other WHERE other.feed = $2 AND other.id = $1
          AND EXISTS (SELECT 1 FROM \(table) AS own
            WHERE own.feed = $2 AND own.id = $3 AND own.user_key = other.user_key \(other))
        """, [.text(rename.newID), .text(feed), .text(rename.oldID)])
      try transaction.run(
        "UPDATE \(table) SET id = $1 WHERE feed = $2 AND id = $3",
        [.text(rename.newID), .text(feed), .text(rename.oldID)])
    }
  }
}
