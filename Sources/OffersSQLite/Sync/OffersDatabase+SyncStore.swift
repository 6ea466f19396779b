import Foundation
import GRDB
import OffersCore
import OffersStore

extension OffersDatabase: SyncStore {
  package var scratchFolder: String { file.folder }

  package func withSyncLock<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withSyncLocks(on: [feed], waitSeconds: waitSeconds, body)
  }

  /// Runs `body` while no other sync of the given feeds runs in any process.
  ///
  /// - Parameters:
  ///   - feeds: sorted, so that two callers with several feeds cannot deadlock.
  ///   - waitSeconds: the maximum wait for all locks together.
  ///   - body: called once all locks are held.
  func withSyncLocks<Result: Sendable>(
    on feeds: [String], waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try checkOpen()
    let lock = try file.makeLock()
    defer { lock.unlockAll() }
    let deadline = ContinuousClock.now + .seconds(waitSeconds)
    for feed in feeds {
      guard try await lock.lock(byte: Self.lockByte(of: feed), until: deadline) else {
        throw OffersError(
          .locked, "Another process is syncing \(feed).",
          hint: "Nothing was changed. Wait for it, then sync again.")
      }
    }
    return try await body()
  }

  /// The byte of the lock file for a feed's sync lock, by a hash of its name; byte 0 is the write
  /// guard's.
  static func lockByte(of feed: String) -> Int64 {
    var hash = ContentHash(seed: 2)
    var feed = feed
    feed.withUTF8 { hash.combine(UnsafeRawBufferPointer($0)) }
    return 1 + Int64(hash.value >> 24)
  }

  package func fetchKnownOffers(of feed: String) async throws -> KnownOffers {
    try await read { database in
      guard let key = try FeedTable.findKey(feed, in: SQLiteTransaction(database)) else {
        return KnownOffers(capacity: 0)
      }
      return try KnownOffersQuery.fetch(feedKey: key, in: database)
    }
  }

  package func apply(_ plan: SyncPlan) async throws -> SyncRun {
    try await write { [user] in
      try Self.apply(plan, of: user, isIndexed: plan.isIndexed, in: $0)
    }
  }

  /// The maximum number of changes that a preview lists, the newest ones. The counts of its run
  /// include all changes.
  private static let previewLimit = 1000

  package func preview(_ plan: SyncPlan) async throws -> (run: SyncRun, changes: [OfferChange]) {
    try await writeTrial { [user] database in
      var query = ChangeQuery(now: plan.run.startedAt)
      query.afterID = try ChangeTable.fetchLastID(in: database)
      query.kinds = Set(OfferChange.Kind.allCases).subtracting([.expiring])
      query.limit = Self.previewLimit
      let run = try Self.apply(plan, of: user, isIndexed: false, in: database)
      return (run, try SelectedChanges(query, of: user, in: database).read(in: database))
    }
  }

  private static func apply(
    _ plan: SyncPlan, of user: User.ID, isIndexed: Bool, in database: Database
  ) throws -> SyncRun {
    let transaction = SQLiteTransaction(database)
    let (feedKey, _) = try FeedTable.put(
      plan.run.feed, source: plan.rememberedSource?.text ?? plan.run.source,
      // A search of a feed's server does not subscribe to the feed.
      subscribes: !plan.isSearch, at: plan.run.startedAt, in: transaction)
    let begun = ContinuousClock.now
    let writer = try DifferenceWriter(
      database, plan.run, feedKey: feedKey, isIndexed: isIndexed)
    try writer.write(plan)
    let counts = writer.counts
    if !plan.isSearch {
      try FeedTable.addCurrent(writer.currentDifference, feedKey: feedKey, in: database)
      try FeedTable.setDocument(plan.document, feedKey: feedKey, in: transaction)
      if !plan.keepsFacts {
        try FeedTable.setDetails(
          title: plan.title, shared: OfferAttribute.json(plan.shared), source: plan.run.source,
          feedKey: feedKey, in: transaction)
      }
    }
    if let missing = plan.missing {
      try MissingOfferTable.replace(with: missing, feedKey: feedKey, in: transaction)
    }
    try FeedTable.setSource(plan.rememberedSource, feedKey: feedKey, in: transaction)
    if let fetch = plan.fetch {
      try FetchStateTable.save(fetch, feedKey: feedKey, in: transaction)
    }
    try FeedTable.setPresentation(plan.presentation, feedKey: feedKey, in: transaction)
    let run = plan.run.completed(
      counts: counts, problems: writer.problems,
      returned: counts.new > 0 && !plan.isSearch
        ? try LostFavorites.returned(
          of: user, to: plan.run.feed, feedKey: feedKey, after: writer.lastKey, in: database) : [],
      writeSeconds: (ContinuousClock.now - begun) / .seconds(1))
    try writer.changes.complete(run)
    return run
  }

  package func record(
    _ run: SyncRun, remember source: NamedSource?, fetch: FetchState?,
    presentation: FeedPresentation?
  ) async throws {
    // A named source is a user's choice and must be durable.
    try await write(source == nil ? .note : .ordinary) { database in
      let transaction = SQLiteTransaction(database)
      let (key, _) = try FeedTable.put(
        run.feed, source: source?.text ?? run.source, subscribes: run.outcome != .failed,
        at: run.startedAt, in: transaction)
      try SyncRunTable.insert(run, id: nil, feedKey: key, in: transaction)
      try FeedTable.setSource(source, feedKey: key, in: transaction)
      if let fetch { try FetchStateTable.save(fetch, feedKey: key, in: transaction) }
      try FeedTable.setPresentation(presentation, feedKey: key, in: transaction)
    }
  }
}
