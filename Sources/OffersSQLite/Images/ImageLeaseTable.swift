import Foundation
import GRDB

/// The SQL that lets one process at a time fetch an image.
enum ImageLeaseTable {
  /// Acquires a lease. Returns whether it was free, expired, or already the holder's.
  static func take(
    _ url: String, holder: Int64, seconds: Double, now: Date, in database: Database
  ) throws -> Bool {
    let now = Int64(now.timeIntervalSince1970 * 1000)
    // Delete expired leases, as of dead processes; there are only as many as downloads.
    try database.execute(
      literal: "DELETE FROM image_lease WHERE until_milliseconds <= \(now)")
    try database.execute(
      sql: """
        INSERT INTO image_lease (url, holder, until_milliseconds) VALUES (?, ?, ?)
        ON CONFLICT (url) DO UPDATE SET until_milliseconds = excluded.until_milliseconds
        WHERE holder = excluded.holder
        """,
      arguments: [url, holder, now + Int64(seconds * 1000)])
    return database.changesCount > 0
  }

  /// Ends a lease: that of the holder, or any if `holder` is nil.
  static func end(_ url: String, holder: Int64?, in database: Database) throws {
    let statement = try RawStatement(
      cached: "DELETE FROM image_lease WHERE url = ?1 AND (?2 IS NULL OR holder = ?2)", database)
    statement.bind(1, copying: url)
    if let holder { statement.bind(2, holder) } else { statement.bindNull(2) }
    try statement.run()
  }

  /// A condition for leases that have expired, or that would last for more than 10 minutes, which
  /// only a clock that was set back explains.
  private static let isStale = "until_milliseconds <= ?1 OR until_milliseconds > ?1 + 600000"

  static func countStale(now: Date, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM image_lease WHERE \(isStale)",
      arguments: [Int64(now.timeIntervalSince1970 * 1000)]) ?? 0
  }

  /// Deletes stale leases and returns their number.
  static func endStale(now: Date, in database: Database) throws -> Int {
    try database.execute(
      sql: "DELETE FROM image_lease WHERE \(isStale)",
      arguments: [Int64(now.timeIntervalSince1970 * 1000)])
    return database.changesCount
  }

  static func clear(in database: Database) throws {
    try database.execute(sql: "DELETE FROM image_lease")
  }
}
