import Foundation
import OffersCore
import OffersStore

/// The SQL that lets one program at a time fetch an image.
extension ImageLeaseTable {
  /// Acquires a lease by the clock of the database. Returns whether it was free, expired, or already the
  /// holder's.
  ///
  /// A lease that would last for longer than `seconds` was taken under a clock that has been set back
  /// since, and counts as expired.
  static func take(
    _ url: String, holder: Int64, seconds: Double, in connection: Connection
  ) throws -> Bool {
    try connection.run(
      """
      INSERT INTO image_lease AS lease (url, holder, until)
      VALUES ($1, $2, clock_timestamp() + $3 * interval '1 second')
      ON CONFLICT (url) DO UPDATE SET holder = excluded.holder, until = excluded.until
      WHERE lease.holder = excluded.holder OR lease.until <= clock_timestamp()
        OR lease.until > excluded.until
      """, [.text(url), .number(holder), .real(seconds)]) > 0
  }
}
