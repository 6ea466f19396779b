import Foundation
import OffersCore

/// The SQL for passphrases and API tokens.
enum CredentialTable {
  static func findPassphrase(
    of user: User.ID, in transaction: any Transaction
  ) throws -> PassphraseHash? {
    try transaction.first(
      """
      SELECT salt, rounds, block_size, parallelism, hash FROM passphrase WHERE user_key = $1
      """, [.number(user)]
    ) { row in
      PassphraseHash(
        salt: row.blob(0), rounds: row.count(1), blockSize: row.count(2),
        parallelism: row.count(3), hash: row.blob(4))
    }
  }

  static func usersWithPassphrase(in transaction: any Transaction) throws -> Set<User.ID> {
    Set(
      try transaction.rows(
        "SELECT user_key FROM passphrase ORDER BY user_key", [], isFrequent: true
      ) { $0.number(0) })
  }

  static func put(
    _ passphrase: PassphraseHash, of user: User.ID, at now: Date, in transaction: any Transaction
  ) throws {
    try transaction.run(
      """
      INSERT INTO passphrase (user_key, salt, rounds, block_size, parallelism, hash, set_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (user_key) DO UPDATE SET
        salt = excluded.salt, rounds = excluded.rounds, block_size = excluded.block_size,
        parallelism = excluded.parallelism, hash = excluded.hash, set_at = excluded.set_at
      """,
      [
        .number(user), .bytes(passphrase.salt), .count(passphrase.rounds),
        .count(passphrase.blockSize), .count(passphrase.parallelism), .bytes(passphrase.hash),
        .date(now),
      ])
  }

  static func deletePassphrase(of user: User.ID, in transaction: any Transaction) throws {
    try transaction.run("DELETE FROM passphrase WHERE user_key = $1", [.number(user)])
  }

  private static let columns =
    "token_key, user_key, name, scope, created_at, expires_at, last_used_at"

  /// The tokens of a user, or of all users for nil.
  static func tokens(of user: User.ID?, in transaction: any Transaction) throws -> [APIToken] {
    try transaction.rows(
      "SELECT \(columns) FROM api_token WHERE $1 IS NULL OR user_key = $1 ORDER BY token_key",
      [.number(user)], token)
  }

  static func findToken(hash: [UInt8], in transaction: any Transaction) throws -> APIToken? {
    try transaction.first(
      "SELECT \(columns) FROM api_token WHERE hash = $1", [.bytes(hash)], isFrequent: true, token)
  }

  static func insert(
    _ token: APIToken, hash: [UInt8], in transaction: any Transaction
  ) throws -> APIToken {
    let id = try transaction.first(
      """
      INSERT INTO api_token (user_key, name, hash, scope, created_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6) RETURNING token_key
      """,
      [
        .number(token.user), .text(token.name), .bytes(hash), .text(token.scope.rawValue),
        .date(token.createdAt), .date(token.expiresAt),
      ]
    ) { $0.number(0) }
    return APIToken(
      id: id ?? 0, user: token.user, name: token.name, scope: token.scope,
      createdAt: token.createdAt, expiresAt: token.expiresAt)
  }

  static func hasToken(
    _ id: APIToken.ID, of user: User.ID, in transaction: any Transaction
  ) throws -> Bool {
    try transaction.exists(
      "SELECT 1 FROM api_token WHERE token_key = $1 AND user_key = $2",
      [.number(id), .number(user)])
  }

  /// The SHA-256 of a token that exists.
  static func hash(of id: APIToken.ID, in transaction: any Transaction) throws -> [UInt8] {
    try transaction.first("SELECT hash FROM api_token WHERE token_key = $1", [.number(id)]) {
      $0.blob(0)
    } ?? []
  }

  /// Deletes a token. Returns whether there was one.
  static func deleteToken(_ id: APIToken.ID, in transaction: any Transaction) throws -> Bool {
    try transaction.run("DELETE FROM api_token WHERE token_key = $1", [.number(id)]) > 0
  }

  /// Deletes the expired tokens of a user.
  static func deleteExpired(
    of user: User.ID, at now: Date, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "DELETE FROM api_token WHERE user_key = $1 AND expires_at <= $2",
      [.number(user), .date(now)])
  }

  /// Sets when a token and its user were last seen, unless a later time is stored.
  static func note(_ id: APIToken.ID, usedAt: Date, in transaction: any Transaction) throws {
    let user = try transaction.first(
      """
      UPDATE api_token SET last_used_at = $1
      WHERE token_key = $2 AND (last_used_at IS NULL OR last_used_at < $1) RETURNING user_key
      """, [.date(usedAt), .number(id)]
    ) { $0.number(0) }
    if let user { try UserTable.note(user, seenAt: usedAt, in: transaction) }
  }

  private static func token(_ row: any SQLRow) -> APIToken {
    APIToken(
      id: row.number(0), user: row.number(1), name: row.text(2),
      scope: Right(rawValue: row.text(3)) ?? .read, createdAt: row.date(4),
      expiresAt: row.findDate(5), lastUsedAt: row.findDate(6))
  }
}
