import Foundation
import GRDB
import OffersCore

/// The SQL for passphrases and API tokens.
enum CredentialTable {
  static func findPassphrase(of user: User.ID, in database: Database) throws -> PassphraseHash? {
    let row = try Row.fetchOne(
      database,
      sql: "SELECT salt, rounds, block_size, parallelism, hash FROM passphrase WHERE user_key = ?",
      arguments: [user])
    return row.map { row in
      PassphraseHash(
        salt: bytes(row["salt"]), rounds: row["rounds"], blockSize: row["block_size"],
        parallelism: row["parallelism"], hash: bytes(row["hash"]))
    }
  }

  static func usersWithPassphrase(in database: Database) throws -> Set<User.ID> {
    Set(try Int64.fetchAll(database, sql: "SELECT user_key FROM passphrase ORDER BY user_key"))
  }

  static func put(
    _ passphrase: PassphraseHash, of user: User.ID, at now: Date, in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO passphrase (user_key, salt, rounds, block_size, parallelism, hash, set_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (user_key) DO UPDATE SET
          salt = excluded.salt, rounds = excluded.rounds, block_size = excluded.block_size,
          parallelism = excluded.parallelism, hash = excluded.hash, set_at = excluded.set_at
        """,
      arguments: [
        user, Data(passphrase.salt), passphrase.rounds, passphrase.blockSize,
        passphrase.parallelism, Data(passphrase.hash), now.storedSeconds,
      ])
  }

  static func deletePassphrase(of user: User.ID, in database: Database) throws {
    try database.execute(sql: "DELETE FROM passphrase WHERE user_key = ?", arguments: [user])
  }

  private static let columns =
    "token_key, user_key, name, scope, created_at, expires_at, last_used_at"

  /// The tokens of a user, or of all users for nil.
  static func tokens(of user: User.ID?, in database: Database) throws -> [APIToken] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns) FROM api_token WHERE ?1 IS NULL OR user_key = ?1 ORDER BY token_key
        """, arguments: [user]
    ).map(token)
  }

  static func findToken(hash: [UInt8], in database: Database) throws -> APIToken? {
    let statement = try database.cachedStatement(
      sql: "SELECT \(columns) FROM api_token WHERE hash = ?")
    return try Row.fetchOne(statement, arguments: [Data(hash)]).map(token)
  }

  static func insert(
    _ token: APIToken, hash: [UInt8], in database: Database
  ) throws -> APIToken {
    try database.execute(
      sql: """
        INSERT INTO api_token (user_key, name, hash, scope, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        token.user, token.name, Data(hash), token.scope.rawValue, token.createdAt.storedSeconds,
        token.expiresAt?.storedSeconds,
      ])
    return APIToken(
      id: database.lastInsertedRowID, user: token.user, name: token.name, scope: token.scope,
      createdAt: token.createdAt, expiresAt: token.expiresAt)
  }

  /// The SHA-256 of a token that exists.
  static func hash(of id: APIToken.ID, in database: Database) throws -> [UInt8] {
    let hash = try Data.fetchOne(
      database, sql: "SELECT hash FROM api_token WHERE token_key = ?", arguments: [id])
    return bytes(hash ?? Data())
  }

  /// Deletes a token. Returns whether there was one.
  static func deleteToken(_ id: APIToken.ID, in database: Database) throws -> Bool {
    try database.execute(sql: "DELETE FROM api_token WHERE token_key = ?", arguments: [id])
    return database.changesCount > 0
  }

  /// Deletes the expired tokens of a user.
  static func deleteExpired(of user: User.ID, at now: Date, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM api_token WHERE user_key = ? AND expires_at <= ?",
      arguments: [user, now.storedSeconds])
  }

  /// Sets when a token and its user were last seen, unless a later time is stored.
  static func note(_ id: APIToken.ID, usedAt: Date, in database: Database) throws {
    let user = try Int64.fetchOne(
      database,
      sql: """
        UPDATE api_token SET last_used_at = ?1
        WHERE token_key = ?2 AND (last_used_at IS NULL OR last_used_at < ?1)
        RETURNING user_key
        """, arguments: [usedAt.storedSeconds, id])
    if let user { try UserTable.note(user, seenAt: usedAt, in: database) }
  }

  private static func token(_ row: Row) -> APIToken {
    APIToken(
      id: row["token_key"], user: row["user_key"], name: row["name"],
      scope: Right(rawValue: row["scope"]) ?? .read,
      createdAt: Date(storedSeconds: row["created_at"]),
      expiresAt: (row["expires_at"] as Int64?).map(Date.init(storedSeconds:)),
      lastUsedAt: (row["last_used_at"] as Int64?).map(Date.init(storedSeconds:)))
  }

  private static func bytes(_ data: Data) -> [UInt8] { Array(data) }
}
