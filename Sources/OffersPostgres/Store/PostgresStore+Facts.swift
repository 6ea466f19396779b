import Foundation
import OffersCore

extension PostgresStore: StoreFacts {
  package func countEverything() async throws -> StoreCounts {
    // Of offers, the stored numbers of the feeds are added.
    let row = try await database.readOnce { [user] connection in
      try connection.rows(
        """
        SELECT (SELECT coalesce(sum(current_count + gone_count), 0)::bigint FROM feed)
            + (SELECT count(*) FROM offer WHERE found_at IS NOT NULL AND gone_at IS NULL),
          (SELECT count(*) FROM favorite WHERE user_key = $1),
          (SELECT count(*) FROM change)
            + (SELECT coalesce(sum(offer_count - 1), 0)::bigint FROM change WHERE kind = 'first'),
          (SELECT count(*) FROM sync_run)
        """, [.number(user)]
      ).map { row in (0..<4).map { row.count($0) } }.first ?? [0, 0, 0, 0]
    }
    return StoreCounts(offers: row[0], favorites: row[1], changes: row[2], runs: row[3])
  }

  package func fetchHistorySize() async throws -> HistorySize {
    try await database.read { try HistorySize(in: $0) }
  }

  package func findNewestTime() async throws -> Date? {
    try await database.readOnce { connection in
      try connection.rows(
        """
        SELECT greatest(
          (SELECT max(started_at) FROM sync_run
            WHERE run_id IN (SELECT max(run_id) FROM sync_run GROUP BY feed_key)),
          (SELECT max(created_at) FROM favorite))
        """
      ).first?.findDate(0)
    }
  }

  package func countTimes(after time: Date) async throws -> LaterTimes {
    let seconds = time.storedSeconds
    return try await database.read { connection in
      func find(_ table: String, _ time: String) throws -> (count: Int, latest: Int64?) {
        let row = try connection.rows(
          "SELECT count(*), max(\(time)) FROM \(table) WHERE \(time) > $1", [.number(seconds)]
        ).first
        return ((row?.count(0) ?? 0), row?.findNumber(1))
      }
      let runs = try find("sync_run", "started_at")
      let offers = try find("offer", "greatest(first_seen_at, changed_at, gone_at)")
      let images = try find("image_cache", "fetched_at")
      let latest = [runs.latest, offers.latest, images.latest].compactMap(\.self).max()
      return LaterTimes(
        runs: runs.count, offers: offers.count, images: images.count,
        latest: latest.map(Date.init(storedSeconds:)))
    }
  }

  package func findUnconfirmedRun(at now: Date) async throws -> Date? {
    let seconds = now.storedSeconds
    let trust = try await database.read { connection in
      try ClockTrust.find(at: seconds, in: StoredHistory(connection: connection))
    }
    guard case .none(let last) = trust else { return nil }
    return Date(storedSeconds: last)
  }
}
