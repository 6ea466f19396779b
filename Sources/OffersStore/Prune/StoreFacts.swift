import Foundation
import OffersCore

/// How many offers, changes and other things a store has.
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

/// How many runs, offers and images have a time in the future, and the latest of these times.
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
  package func countEverything() async throws(OffersError) -> StoreCounts {
    // Of offers, the stored counts of the feeds are added.
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
  package func fetchHistorySize() async throws(OffersError) -> HistorySize {
    try await transaction(.read) { try HistorySize(in: $0) }
  }

  /// The newest of the times of each feed's last run and of all favorites; nil in a new store.
  package func findNewestTime() async throws(OffersError) -> Date? {
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
  package func countTimes(after time: Date) async throws(OffersError) -> FutureTimestamps {
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

/// The recorded runs and changes of a store, as far as they decide what pruning removes.
struct StoredHistory {
  private let transaction: any Transaction

  init(_ transaction: any Transaction) { self.transaction = transaction }

  /// The age, in seconds, up to which the last two runs confirm the present time: two weeks, and a day for a
  /// timer that is late. A clock that is ahead by less removes data at most so much too early.
  private static let confirmedSeconds = 15 * Retention.daySeconds
  /// 2020-01-01, which is before the first version of this program. A clock before it was not set, as
  /// that of a machine without a battery, which starts at 1970.
  private static let epochSeconds: Int64 = 1_577_836_800

  /// The time from which the ages of stored data are counted, in Unix seconds, so that a wrong clock removes
  /// nothing before its time.
  ///
  /// A clock that is ahead makes everything look old. So ages are counted from the earlier one of the last two
  /// runs that started at least a day before now, by the same clock, unless both are recent: a clock that jumped is
  /// believed after two more runs on other days, also that of a machine that was off for a year. The ids of
  /// runs ascend in their order, whatever the clock said.
  func findTime(at now: Int64) throws -> Int64 {
    let starts = try transaction.rows(
      """
      SELECT started_at FROM sync_run WHERE started_at BETWEEN $1 AND $2
      ORDER BY run_id DESC LIMIT 2
      """,
      [
        .number(now < Self.epochSeconds ? .min : Self.epochSeconds),
        .number(now.subtracting(clamped: Retention.daySeconds)),
      ]
    ) { $0.number(0) }
    guard let earliest = starts.min() else { return now }
    return now.subtracting(clamped: earliest) <= Self.confirmedSeconds ? now : earliest
  }

  /// The number of the first run that started within a range of times. Later runs were recorded by a
  /// clock that was ahead, and are passed over.
  func findFirstRun(from earliest: Int64, through latest: Int64) throws -> Int64? {
    try transaction.first(
      """
      SELECT run_id FROM sync_run WHERE started_at BETWEEN $1 AND $2 ORDER BY run_id LIMIT 1
      """, [.number(earliest), .number(latest)]
    ) { $0.number(0) }
  }

  /// The number of the last change before those of a run and of later runs; 0 if there is none.
  func findLastChange(beforeRun run: Int64) throws -> Int64 {
    // Changes are in the order of runs: the oldest rows are read until one belongs to a later run. The sum
    // keeps SQLite from its index on runs, whose entries it would sort.
    let behind = try transaction.first(
      "SELECT change_id FROM change WHERE run_id + 0 >= $1 ORDER BY change_id LIMIT 1",
      [.number(run)]
    ) { $0.number(0) }
    if let behind { return behind.subtracting(clamped: 1) }
    return try ChangeTable.fetchLastID(in: transaction)
  }

  /// The id up to which changes are surplus; nil while there are few enough, or if all older ones
  /// concern favorites.
  func findSurplus(over limit: HistoryLimit) throws -> Int64? {
    let last = try ChangeTable.fetchLastID(in: transaction)
    let count = try findCount(limit)
    // Most databases are below the limit, and need no exact count.
    guard last > count, try PruneTable.hasRemovable(through: last - count, in: transaction) else {
      return nil
    }
    return last - HistoryLimit.left(of: count)
  }

  /// The number of changes to keep. Their size is estimated only if the measure of the engine, which is
  /// read without a scan and is never too small, is larger than the bound.
  private func findCount(_ limit: HistoryLimit) throws -> Int64 {
    let measure = transaction.dialect.historyMeasure
    let most = try transaction.first(measure.mostBytes) { $0.count(0) } ?? 0
    if most <= limit.bytes { return limit.count }
    return limit.count(for: try HistorySize(in: transaction))
  }
}

extension HistorySize {
  /// The number of changes that are read for the estimate.
  private static let sampleCount = 1000

  /// Counts the changes, and estimates their size from the newest.
  package init(in transaction: any Transaction) throws {
    let measure = transaction.dialect.historyMeasure
    let count = try transaction.first(measure.count) { $0.count(0) } ?? 0
    let sample = try transaction.first(
      """
      SELECT CAST(coalesce(sum(\(measure.fieldBytes)), 0) AS BIGINT), count(*) FROM (
        SELECT fields FROM change ORDER BY change_id DESC LIMIT \(Self.sampleCount)) AS newest
      """
    ) { (bytes: $0.count(0), rows: $0.count(1)) }
    let average = sample.map { $0.rows == 0 ? 0 : Double($0.bytes) / Double($0.rows) } ?? 0
    let bytes = Double(count) * (average + Double(measure.rowBytes))
    self.init(
      count: count, bytes: Int(clamped: bytes), limit: Int(HistoryLimit.standard.count),
      maximumBytes: HistoryLimit.standard.bytes)
  }
}
