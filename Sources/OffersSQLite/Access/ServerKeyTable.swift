import Foundation
import GRDB
import OffersCore

/// The SQL for the keys of servers.
enum ServerKeyTable {
  static func find(_ purpose: String, in database: Database) throws -> [UInt8]? {
    try Data.fetchOne(
      database, sql: "SELECT bytes FROM server_key WHERE purpose = ?", arguments: [purpose]
    ).map { Array($0) }
  }

  /// Stores a key unless there is one.
  static func insert(_ key: [UInt8], for purpose: String, in database: Database) throws {
    try database.execute(
      sql: "INSERT INTO server_key (purpose, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING",
      arguments: [purpose, Data(key)])
  }
}

extension OffersDatabase: ServerKeyRepository {
  package func fetchServerKey(
    for purpose: String, orStore candidate: [UInt8]
  ) async throws -> [UInt8] {
    if let key = try await read({ try ServerKeyTable.find(purpose, in: $0) }) { return key }
    return try await write { database in
      try ServerKeyTable.insert(candidate, for: purpose, in: database)
      return try ServerKeyTable.find(purpose, in: database) ?? candidate
    }
  }
}
