import Foundation
import OffersCore
import OffersStore

extension PostgresStore: SyncStore {
  package var scratchFolder: String { NSTemporaryDirectory() }

  /// The number of offers that are read at once.
  private static let pieceCount = 20_000

  package func fetchKnownOffers(of feed: String) async throws -> KnownOffers {
    try await database.read { session in
      guard let feedKey = try FeedTable.findKey(feed, in: PostgresTransaction(session)) else {
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
        at: run.startedAt, in: PostgresTransaction(session)
      ).key
      try SyncRunTable.insert(
        run, id: order.nextRunID(), feedKey: feedKey, in: PostgresTransaction(session))
      try FeedTable.setSource(source, feedKey: feedKey, in: PostgresTransaction(session))
      if let fetch {
        try FetchStateTable.save(fetch, feedKey: feedKey, in: PostgresTransaction(session))
      }
      try FeedTable.setPresentation(
        presentation, feedKey: feedKey, in: PostgresTransaction(session))
      try order.save(in: session)
      try SyncLease.check(lease, run.feed, in: session)
    }
  }
}
