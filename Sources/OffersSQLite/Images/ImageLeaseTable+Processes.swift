import Foundation
import GRDB
import OffersCore
import OffersStore

/// Leases by the clocks of processes, of which each knows whether the others are alive.
extension ImageLeaseTable {
  /// Acquires a lease. Returns whether it was free, expired, that of a dead process, or already the
  /// holder's.
  ///
  /// - Parameters:
  ///   - url: the URL of the image.
  ///   - holder: identifies the caller.
  ///   - seconds: the duration of every lease. A lease whose rest is longer was taken before the clock was
  ///     set back, and counts as expired.
  ///   - now: the present time.
  ///   - isAlive: whether the process of a holder is alive.
  ///   - database: the database to write to.
  static func take(
    _ url: String, holder: Int64, seconds: Double, now: Date, isAlive: (Int64) -> Bool,
    in database: Database
  ) throws -> Bool {
    let now = now.storedMilliseconds
    let until = now.adding(clamped: Int64(clamped: seconds * 1000))
    // There are only as many leases as downloads.
    try database.execute(
      literal: """
        DELETE FROM image_lease WHERE until_milliseconds <= \(now) OR until_milliseconds > \(until)
        """)
    let other = try Int64.fetchOne(
      database, sql: "SELECT holder FROM image_lease WHERE url = ? AND holder <> ?",
      arguments: [url, holder])
    if let other, !isAlive(other) { try end(url, holder: other, in: SQLiteTransaction(database)) }
    try database.execute(
      sql: """
        INSERT INTO image_lease (url, holder, until_milliseconds) VALUES (?, ?, ?)
        ON CONFLICT (url) DO UPDATE SET until_milliseconds = excluded.until_milliseconds
        WHERE holder = excluded.holder
        """,
      arguments: [url, holder, until])
    return database.changesCount > 0
  }

  /// A condition for leases that have expired, or that would last for longer than any, which only a
  /// clock that was set back explains.
  private static let isStale = """
    until_milliseconds <= ?1
    OR until_milliseconds > ?1 + \(Int64(ImageCacheLimits.leaseSeconds * 1000))
    """

  static func countStale(now: Date, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM image_lease WHERE \(isStale)",
      arguments: [now.storedMilliseconds]) ?? 0
  }

  /// Deletes stale leases and returns their number.
  static func endStale(now: Date, in database: Database) throws -> Int {
    try database.execute(
      sql: "DELETE FROM image_lease WHERE \(isStale)",
      arguments: [now.storedMilliseconds])
    return database.changesCount
  }
}
