import Foundation
import GRDB
import OffersCore

/// The SQL for failed attempts to log in. The trigger `login_attempt_holds_10000` of migration 21
/// bounds their number.
enum AttemptTable {
  static func list(in database: Database) throws -> [LoginAttempts] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT network, failure_count, last_failure_at, wait_until FROM login_attempt
        ORDER BY network
        """
    ).map { row in
      LoginAttempts(
        network: row["network"], count: row["failure_count"],
        lastFailureAt: Date(storedSeconds: row["last_failure_at"]),
        waitUntil: Date(storedSeconds: row["wait_until"]))
    }
  }

  /// Stores the attempts of a network, unless others that failed later are stored. A time more than
  /// a day later was stored under a wrong clock, and is replaced.
  static func put(_ attempts: LoginAttempts, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO login_attempt (network, failure_count, last_failure_at, wait_until)
        VALUES (?, ?, ?, ?)
        ON CONFLICT (network) DO UPDATE SET
          failure_count = excluded.failure_count, last_failure_at = excluded.last_failure_at,
          wait_until = excluded.wait_until
        WHERE last_failure_at NOT BETWEEN excluded.last_failure_at + 1
          AND excluded.last_failure_at + 86400
        """
    ).execute(arguments: [
      attempts.network, attempts.count, attempts.lastFailureAt.storedSeconds,
      // Rounded up, so that a wait that is read again is not shorter.
      attempts.waitUntil.nextSeconds,
    ])
  }

  static func delete(_ network: String, in database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM login_attempt WHERE network = ?")
      .execute(arguments: [network])
  }
}
