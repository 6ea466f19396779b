import Foundation
import OffersCore
import OffersStore

extension PostgresStore: SyncStore {
  package var scratchFolder: String { NSTemporaryDirectory() }

  /// The number of offers that are read at once.
  private static let pieceCount = 20_000

  package func fetchKnownOffers(of feed: String) async throws -> KnownOffers {
    try await database.read { connection in
      guard let feedKey = try FeedTable.findKey(feed, in: PostgresTransaction(connection)) else {
        return KnownOffers(capacity: 0)
      }
      let count = try connection.rows(
        "SELECT count(*) FROM offer WHERE feed_key = $1", [.number(feedKey)])
      var known = KnownOffers(capacity: (count.first?.count(0) ?? 0))
      var last: Int64 = 0
      while true {
        let rows = try connection.rows(
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
    return try await database.write(kind: .ordered) { [user] connection in
      let writer = try DifferenceWriter(plan, of: user, in: connection)
      let run = try writer.apply()
      try SyncLease.check(lease, plan.run.feed, in: connection)
      return run
    }
  }

  package func preview(_ plan: SyncPlan) async throws -> (run: SyncRun, changes: [OfferChange]) {
    try await database.write(kind: .ordered, isKept: false) { [user] connection in
      let lastID = try ChangeTable.fetchLastID(in: PostgresTransaction(connection))
      let run = try DifferenceWriter(plan, of: user, in: connection).apply()
      var query = ChangeQuery(now: plan.run.startedAt)
      query.afterID = lastID
      query.kinds = Set(OfferChange.Kind.allCases).subtracting([.expiring])
      return (
        run, try SelectedChanges(query, of: user, in: PostgresTransaction(connection)).changes()
      )
    }
  }

  package func record(
    _ run: SyncRun, remember source: NamedSource?, fetch: FetchState?,
    presentation: FeedPresentation?
  ) async throws {
    let lease = SyncLease.current
    try await database.write(kind: .ordered) { connection in
      var order = try CommitOrder(locking: connection)
      let feedKey = try FeedTable.put(
        run.feed, source: source?.text ?? run.source, subscribes: run.outcome != .failed,
        at: run.startedAt, in: PostgresTransaction(connection)
      ).key
      try SyncRunTable.insert(
        run, id: order.nextRunID(), feedKey: feedKey, in: PostgresTransaction(connection))
      try FeedTable.setSource(source, feedKey: feedKey, in: PostgresTransaction(connection))
      if let fetch {
        try FetchStateTable.save(fetch, feedKey: feedKey, in: PostgresTransaction(connection))
      }
      try FeedTable.setPresentation(
        presentation, feedKey: feedKey, in: PostgresTransaction(connection))
      try order.save(in: connection)
      try SyncLease.check(lease, run.feed, in: connection)
    }
  }
}
