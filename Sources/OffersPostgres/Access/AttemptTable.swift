import OffersCore

/// The SQL for failed attempts to log in.
enum AttemptTable {
  static func list(in session: DatabaseSession) throws -> [LoginAttempts] {
    try session.rows(
      """
      SELECT network, failure_count, last_failure_at, wait_until FROM login_attempt
      ORDER BY network
      """
    ).map { row in
      LoginAttempts(
        network: row.text(0), count: row.count(1), lastFailureAt: row.date(2),
        waitUntil: row.date(3))
    }
  }

  /// Stores the attempts of networks, unless others that failed later are stored. A time more than
  /// a day later was stored under a wrong clock, and is replaced.
  static func put(_ attempts: [LoginAttempts], in session: DatabaseSession) throws {
    // In the order of the networks, so that two nodes do not wait for each other.
    try session.run(
      """
      INSERT INTO login_attempt (network, failure_count, last_failure_at, wait_until)
      SELECT DISTINCT ON (network COLLATE "C") network, failure_count, last_failure_at, wait_until
      FROM unnest($1, $2, $3, $4)
        AS new (network, failure_count, last_failure_at, wait_until)
      ORDER BY network COLLATE "C", last_failure_at DESC
      ON CONFLICT (network) DO UPDATE SET
        failure_count = excluded.failure_count, last_failure_at = excluded.last_failure_at,
        wait_until = excluded.wait_until
      WHERE login_attempt.last_failure_at NOT BETWEEN excluded.last_failure_at + 1
        AND excluded.last_failure_at + 86400
      """,
      [
        .texts(attempts.map(\.network)), .numbers(attempts.map { Int64($0.count) }),
        .numbers(attempts.map(\.lastFailureAt.storedSeconds)),
        // Rounded up, so that a wait that is read again is not shorter.
        .numbers(attempts.map(\.waitUntil.nextSeconds)),
      ])
  }

  static func delete(_ networks: [String], in session: DatabaseSession) throws {
    try session.run("DELETE FROM login_attempt WHERE network = ANY($1)", [.texts(networks)])
  }

  /// Deletes the attempts above the limit whose last failure is oldest. Attempts from many networks do
  /// not displace those for an account, those of all together, and those that were just stored.
  static func prune(keeping networks: [String], in session: DatabaseSession) throws {
    try session.run(
      """
      DELETE FROM login_attempt WHERE network IN (
        SELECT network FROM login_attempt
        WHERE network <> ALL($1) AND network <> $2 AND network NOT LIKE 'account %'
        ORDER BY last_failure_at, network
        LIMIT (SELECT greatest(count(*) - \(LoginAttempts.limit), 0) FROM login_attempt))
      """, [.texts(networks), .text(LoginAttempts.overall)])
  }
}
