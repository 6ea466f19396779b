import Foundation
import OffersCore

extension OffersDatabase {
  /// The attempts of all networks, and those of all together.
  package func fetchAttempts() async throws(OffersError) -> [LoginAttempts] {
    try await transaction(.query) { try LoginAttemptTable.list(in: $0) }
  }

  /// Stores attempts, each in place of those of the same network unless these failed later, and
  /// removes the attempts of other networks. A power cut may lose the last changes.
  ///
  /// - Parameters:
  ///   - attempts: the attempts to store.
  ///   - networks: the networks whose attempts are removed.
  package func putAttempts(
    _ attempts: [LoginAttempts], removing networks: [String]
  ) async throws(OffersError) {
    try await transaction(.note) { transaction in
      try LoginAttemptTable.delete(networks.sorted(), in: transaction)
      try LoginAttemptTable.put(attempts, in: transaction)
      try LoginAttemptTable.prune(keeping: attempts.map(\.network), in: transaction)
    }
  }
}

/// The SQL for failed attempts to log in.
enum LoginAttemptTable {
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

/// The SQL for the keys with which `offers serve` signs cookies and codes, and requests of Web Push.
enum ServerKeyTable {
  static func find(_ purpose: String, in transaction: any Transaction) throws -> [UInt8]? {
    try transaction.first("SELECT bytes FROM server_key WHERE purpose = $1", [.text(purpose)]) {
      $0.blob(0)
    }
  }

  /// Stores a key unless there is one, after the end of a transaction that stores it as well.
  static func insert(_ key: [UInt8], for purpose: String, in transaction: any Transaction) throws {
    try transaction.run(
      "INSERT INTO server_key (purpose, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [.text(purpose), .bytes(key)])
  }
}

extension OffersDatabase {
  /// The purpose of the key with which messages to browsers are signed; all nodes and `offers sync` share it.
  package static var pushKeyPurpose: String { "web push" }

  /// The key for a purpose; nil if there is none yet.
  package func findServerKey(for purpose: String) async throws(OffersError) -> [UInt8]? {
    try await transaction(.query) { try ServerKeyTable.find(purpose, in: $0) }
  }

  /// The key for a purpose. If there is none, `candidate` is stored durably and is the key from then on, also
  /// for others who ask at the same time.
  ///
  /// - Parameters:
  ///   - purpose: the name of the purpose, such as `pending login`.
  ///   - candidate: 32 random bytes.
  package func fetchServerKey(
    for purpose: String, orStore candidate: [UInt8]
  ) async throws(OffersError) -> [UInt8] {
    if let key = try await findServerKey(for: purpose) { return key }
    return try await transaction(.repeatableUncountedWrite) { transaction in
      try ServerKeyTable.insert(candidate, for: purpose, in: transaction)
      // On PostgreSQL, the transaction is READ COMMITTED, so that this sees the key of another one.
      return try ServerKeyTable.find(purpose, in: transaction) ?? candidate
    }
  }
}
