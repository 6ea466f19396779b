import OffersCore

/// The SQL for the keys of servers.
enum ServerKeyTable {
  static func find(_ purpose: String, in session: DatabaseSession) throws -> [UInt8]? {
    try session.rows("SELECT bytes FROM server_key WHERE purpose = $1", [.text(purpose)])
      .first?.findBytes(0).map { Array($0) }
  }

  /// Stores a key unless there is one, after the end of a transaction that stores it as well.
  static func insert(_ key: [UInt8], for purpose: String, in session: DatabaseSession) throws {
    try session.run(
      "INSERT INTO server_key (purpose, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [.text(purpose), .bytes(key)])
  }
}

extension PostgresStore: ServerKeyRepository {
  package func fetchServerKey(
    for purpose: String, orStore candidate: [UInt8]
  ) async throws -> [UInt8] {
    if let key = try await database.readOnce({ try ServerKeyTable.find(purpose, in: $0) }) {
      return key
    }
    return try await database.write(isCounted: false, isRepeatable: true) { session in
      try ServerKeyTable.insert(candidate, for: purpose, in: session)
      // The transaction is READ COMMITTED, so that this sees the key of another one.
      return try ServerKeyTable.find(purpose, in: session) ?? candidate
    }
  }
}
