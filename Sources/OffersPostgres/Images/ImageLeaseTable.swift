import Foundation
import OffersCore

/// The SQL that lets one program at a time fetch an image.
enum ImageLeaseTable {
  /// Acquires a lease. Returns whether it was free, expired, or already the holder's.
  ///
  /// A lease that would last for longer than `seconds` was taken under a clock that has been set back
  /// since, and counts as expired.
  static func take(
    _ url: String, holder: Int64, seconds: Double, now: Date, in session: DatabaseSession
  ) throws -> Bool {
    let now = Int64(now.timeIntervalSince1970 * 1000)
    let until = now + Int64(seconds * 1000)
    return try session.run(
      """
      INSERT INTO image_lease AS lease (url, holder, until_milliseconds) VALUES ($1, $2, $3)
      ON CONFLICT (url) DO UPDATE
      SET holder = excluded.holder, until_milliseconds = excluded.until_milliseconds
      WHERE lease.holder = excluded.holder OR lease.until_milliseconds <= $4
        OR lease.until_milliseconds > $3
      """, [.text(url), .number(holder), .number(until), .number(now)]) > 0
  }

  /// Ends a lease: that of the holder, or any if `holder` is nil.
  static func end(_ url: String, holder: Int64?, in session: DatabaseSession) throws {
    try session.run(
      "DELETE FROM image_lease WHERE url = $1 AND ($2::bigint IS NULL OR holder = $2)",
      [.text(url), .number(holder)])
  }
}
