import OffersCore

/// The SQL for failed attempts to log in.
enum AttemptTable {
  static func list(in transaction: any Transaction) throws -> [LoginAttempts] {
    try transaction.rows(
      """
      SELECT network, failure_count, last_failure_at, wait_until FROM login_attempt
      ORDER BY network
      """
    ) { row in
      LoginAttempts(
        network: row.text(0), count: row.count(1), lastFailureAt: row.date(2),
        waitUntil: row.date(3))
    }
  }

  /// Stores the attempts of networks, unless others that failed later are stored. A time more than
  /// a day later was stored under a wrong clock, and is replaced.
  static func put(_ attempts: [LoginAttempts], in transaction: any Transaction) throws {
    let latest = Dictionary(attempts.map { ($0.network, $0) }) {
      $0.lastFailureAt < $1.lastFailureAt ? $1 : $0
    }
    // In the order of the networks, so that two nodes do not wait for each other.
    let sorted = latest.values.sorted { $0.network < $1.network }
    let new = transaction.dialect.table(
      [
        "network": .texts(sorted.map(\.network)),
        "failure_count": .numbers(sorted.map { Int64($0.count) }),
        "last_failure_at": .numbers(sorted.map(\.lastFailureAt.storedSeconds)),
        // Rounded up, so that a wait that is read again is not shorter.
        "wait_until": .numbers(sorted.map(\.waitUntil.nextSeconds)),
      ], as: "new")
    // Without the condition, SQLite takes ON for that of a join.
    try transaction.run(
      """
      INSERT INTO login_attempt (network, failure_count, last_failure_at, wait_until)
      SELECT network, failure_count, last_failure_at, wait_until FROM \(new.sql) WHERE true
      ON CONFLICT (network) DO UPDATE SET
        failure_count = excluded.failure_count, last_failure_at = excluded.last_failure_at,
        wait_until = excluded.wait_until
      WHERE login_attempt.last_failure_at NOT BETWEEN excluded.last_failure_at + 1
        AND excluded.last_failure_at + 86400
      """, new.values)
  }

  static func delete(_ networks: [String], in transaction: any Transaction) throws {
    let isNamed = transaction.dialect.isElement("network", of: "$1")
    try transaction.run("DELETE FROM login_attempt WHERE \(isNamed)", [.texts(networks)])
  }

  /// Deletes the attempts of networks and those for accounts above the limit of each, in the order of
  /// `LoginAttempts.isLighter`. Those of all together and those that were just stored stay.
  static func prune(keeping networks: [String], in transaction: any Transaction) throws {
    let dialect = transaction.dialect
    for (kind, order) in [
      ("NOT LIKE", "last_failure_at"), ("LIKE", "failure_count, last_failure_at"),
    ] {
      let isOfKind = "network \(kind) '\(LoginAttempts.accountPrefix)%'"
      try transaction.run(
        """
        DELETE FROM login_attempt WHERE network IN (
          SELECT network FROM login_attempt
          WHERE \(isOfKind) AND NOT (\(dialect.isElement("network", of: "$1"))) AND network <> $2
          ORDER BY \(order), network
          LIMIT (SELECT \(dialect.greatest)(count(*) - \(LoginAttempts.limit), 0)
            FROM login_attempt WHERE \(isOfKind)))
        """, [.texts(networks), .text(LoginAttempts.overall)])
    }
  }
}
