import OffersCore

/// The SQL for the keys of servers.
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
  /// The key for a purpose. If there is none, `candidate` is stored durably and is the key from then on, also
  /// for others who ask at the same time.
  ///
  /// - Parameters:
  ///   - purpose: the name of the purpose, such as `pending login`.
  ///   - candidate: 32 random bytes.
  package func fetchServerKey(
    for purpose: String, orStore candidate: [UInt8]
  ) async throws -> [UInt8] {
    if let key = try await transaction(.query, { try ServerKeyTable.find(purpose, in: $0) }) {
      return key
    }
    return try await transaction(.repeatableUncountedWrite) { transaction in
      try ServerKeyTable.insert(candidate, for: purpose, in: transaction)
      // On PostgreSQL, the transaction is READ COMMITTED, so that this sees the key of another one.
      return try ServerKeyTable.find(purpose, in: transaction) ?? candidate
    }
  }
}
