import Foundation
import OffersCore

/// The numbers of the things in a store.
package struct StoreCounts: Hashable, Sendable {
  package let offers: Int
  package let favorites: Int
  package let changes: Int
  package let runs: Int

  package init(offers: Int, favorites: Int, changes: Int, runs: Int) {
    self.offers = offers
    self.favorites = favorites
    self.changes = changes
    self.runs = runs
  }
}

/// The numbers of runs, offers and images with a time in the future, and the latest of these times.
package struct FutureTimestamps: Hashable, Sendable {
  package let runs: Int
  package let offers: Int
  package let images: Int
  package let latest: Date?

  package init(runs: Int, offers: Int, images: Int, latest: Date?) {
    self.runs = runs
    self.offers = offers
    self.images = images
    self.latest = latest
  }
}

extension OffersDatabase {
  /// Counts offers, the bound user's favorites, changes and runs.
  package func countEverything() async throws -> StoreCounts {
    // Of offers, the stored numbers of the feeds are added.
    let counts = try await transaction(.query) { [user] transaction in
      try transaction.first(
        """
        SELECT (SELECT CAST(coalesce(sum(current_count + gone_count), 0) AS BIGINT) FROM feed)
            + (SELECT count(*) FROM offer WHERE found_at IS NOT NULL AND gone_at IS NULL),
          (SELECT count(*) FROM favorite WHERE user_key = $1),
          (SELECT count(*) FROM change)
            + (SELECT CAST(coalesce(sum(offer_count - 1), 0) AS BIGINT) FROM change
              WHERE kind = 'first'),
          (SELECT count(*) FROM sync_run)
        """, [.number(user)]
      ) { row in (0..<4).map { row.count($0) } } ?? [0, 0, 0, 0]
    }
    return StoreCounts(
      offers: counts[0], favorites: counts[1], changes: counts[2], runs: counts[3])
  }

  /// The size of the history and its bound.
  package func fetchHistorySize() async throws -> HistorySize {
    try await transaction(.read) { try HistorySize(in: $0) }
  }

  /// The newest of the times of each feed's last run and of all favorites; nil in a new store.
  package func findNewestTime() async throws -> Date? {
    try await transaction(.query) { transaction in
      try transaction.first(
        """
        SELECT max(at) FROM (
          SELECT started_at AS at FROM sync_run
          WHERE run_id IN (SELECT max(run_id) FROM sync_run GROUP BY feed_key)
          UNION ALL SELECT created_at FROM favorite) AS newest
        """
      ) { $0.findDate(0) }.flatMap(\.self)
    }
  }

  /// Counts the runs, offers and images with a time after a given one.
  package func countTimes(after time: Date) async throws -> FutureTimestamps {
    try await transaction(.read) { transaction in
      func find(_ table: String, _ column: String) throws -> (count: Int, latest: Date?) {
        try transaction.first(
          "SELECT count(*), max(at) FROM (SELECT \(column) AS at FROM \(table)) AS one WHERE at > $1",
          [.date(time)]
        ) { ($0.count(0), $0.findDate(1)) } ?? (0, nil)
      }
      let greatest = transaction.dialect.greatest
      let runs = try find("sync_run", "started_at")
      let offers = try find(
        "offer", "\(greatest)(first_seen_at, changed_at, coalesce(gone_at, changed_at))")
      let images = try find("image_cache", "fetched_at")
      return FutureTimestamps(
        runs: runs.count, offers: offers.count, images: images.count,
        latest: [runs.latest, offers.latest, images.latest].compactMap(\.self).max())
    }
  }
}
