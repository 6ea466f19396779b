import Foundation
import OffersCore

extension PostgresStore: SyncStore {
  package var scratchFolder: String { NSTemporaryDirectory() }

  package func fetchSubscribedFeeds() async throws -> [String] {
    try await database.readOnce { try FeedTable.subscribedNames(in: $0) }
  }

  package func findSyncState(of feed: String) async throws -> SyncState? {
    if feed.utf8.contains(0) { return nil }
    return try await database.readOnce { session in
      try session.rows(Self.stateSQL, [.text(feed)]).first.flatMap(Self.state)
    }
  }

  private static let stateSQL = """
    SELECT feed.unsubscribed_at IS NULL, feed.chosen_source, feed.source_origin,
      feed.document_hash, feed.document_head_hash, feed.document_bytes,
      \(FeedTable.currentCount),
      good.source,
      (SELECT run.started_at FROM sync_run AS run
        WHERE run.feed_key = feed.feed_key
          AND (run.outcome <> 'failed' OR feed_fetch.failure_count IS DISTINCT FROM 0)
        ORDER BY run.run_id DESC LIMIT 1),
      feed_fetch.feed_key IS NOT NULL, \(FetchStateTable.selection)
    FROM feed LEFT JOIN feed_fetch ON feed_fetch.feed_key = feed.feed_key
    \(SyncRunTable.lastJoin)
    WHERE feed.name = $1
    """

  private static func state(_ row: Row) -> SyncState? {
    let source = FeedTable.namedSource(row.findText(1), row.findText(2))
    let fetch = FetchStateTable.state(row, from: 10)
    if !row.flag(0) {
      if source == nil && !row.flag(9) { return nil }
      return SyncState(
        source: source, document: nil, currentCount: 0, lastGoodSource: nil,
        lastRunAt: row.findDate(8), fetch: fetch)
    }
    var document: DocumentFingerprint?
    if let hash = row.findBytes(3), let head = row.findBytes(4) {
      document = DocumentFingerprint(
        hash: Array(hash), headHash: Array(head), sizeBytes: row.count(5))
    }
    return SyncState(
      source: source, document: document, currentCount: row.count(6),
      lastGoodSource: row.findText(7), lastRunAt: row.findDate(8), fetch: fetch)
  }

  /// The number of offers that are read at once.
  private static let pieceCount = 20_000

  package func fetchKnownOffers(of feed: String) async throws -> KnownOffers {
    try await database.read { session in
      guard let feedKey = try FeedTable.findKey(feed, in: session) else {
        return KnownOffers(capacity: 0)
      }
      let count = try session.rows(
        "SELECT count(*) FROM offer WHERE feed_key = $1", [.number(feedKey)])
      var known = KnownOffers(capacity: (count.first?.count(0) ?? 0))
      var last: Int64 = 0
      while true {
        let rows = try session.rows(
          """
          SELECT offer_key, content_hash, gone_at IS NOT NULL OR found_at IS NOT NULL, id
          FROM offer WHERE feed_key = $1 AND offer_key > $2 ORDER BY offer_key
          LIMIT \(Self.pieceCount)
          """, [.number(feedKey), .number(last)])
        for index in 0..<rows.count {
          let row = rows[index]
          guard let id = row.findBytes(3) else { continue }
          last = row.number(0)
          known.insert(
            id: id, contentHash: UInt64(bitPattern: row.number(1)), key: last,
            isGone: row.flag(2))
        }
        if rows.count < Self.pieceCount { return known }
      }
    }
  }

  package func fetchMissingOffers(of feed: String) async throws -> [MissingOffer] {
    try await database.readOnce { try MissingOfferTable.fetch(of: feed, in: $0) }
  }

  package func fetchLook(of feed: String) async throws -> FeedLook {
    try await database.read { try MissingOfferTable.fetchLook(of: feed, in: $0) }
  }

  package func apply(_ plan: SyncPlan) async throws -> SyncRun {
    let lease = SyncLease.current
    return try await database.write(kind: .ordered) { [user] session in
      let writer = try DifferenceWriter(plan, of: user, in: session)
      let run = try writer.apply()
      try SyncLease.check(lease, plan.run.feed, in: session)
      return run
    }
  }

  package func preview(_ plan: SyncPlan) async throws -> (run: SyncRun, changes: [OfferChange]) {
    try await database.write(kind: .ordered, isKept: false) { [user] session in
      let lastID = try ChangeTable.fetchLastID(in: session)
      let run = try DifferenceWriter(plan, of: user, in: session).apply()
      var query = ChangeQuery(now: plan.run.startedAt)
      query.afterID = lastID
      query.kinds = Set(OfferChange.Kind.allCases).subtracting([.expiring])
      return (run, try ChangeSelection.changes(query, of: user, in: session))
    }
  }

  package func record(
    _ run: SyncRun, remember source: NamedSource?, fetch: FetchState?,
    presentation: FeedPresentation?
  ) async throws {
    let lease = SyncLease.current
    try await database.write(kind: .ordered) { session in
      var order = try CommitOrder(locking: session)
      let feedKey = try FeedTable.put(
        run.feed, source: source?.text ?? run.source, subscribes: run.outcome != .failed,
        at: run.startedAt, in: session
      ).key
      try SyncRunTable.insert(run, id: order.nextRunID(), feedKey: feedKey, in: session)
      try FeedTable.setSource(source, feedKey: feedKey, in: session)
      if let fetch { try FetchStateTable.save(fetch, feedKey: feedKey, in: session) }
      try FeedTable.setPresentation(presentation, feedKey: feedKey, in: session)
      try order.save(in: session)
      try SyncLease.check(lease, run.feed, in: session)
    }
  }
}
