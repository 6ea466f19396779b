import Foundation
import OffersCore

/// The SQL for passphrases and API tokens.
enum CredentialTable {
  static func findPassphrase(
    of user: User.ID, in session: DatabaseSession
  ) throws -> PassphraseHash? {
    try session.rows(
      """
      SELECT salt, rounds, block_size, parallelism, hash FROM passphrase WHERE user_key = $1
      """, [.number(user)]
    ).first.map { row in
      PassphraseHash(
        salt: row.findBytes(0).map { Array($0) } ?? [], rounds: row.count(1),
        blockSize: row.count(2), parallelism: row.count(3),
        hash: row.findBytes(4).map { Array($0) } ?? [])
    }
  }

  static func usersWithPassphrase(in session: DatabaseSession) throws -> Set<User.ID> {
    Set(
      try session.rows(prepared: "SELECT user_key FROM passphrase ORDER BY user_key")
        .map { $0.number(0) })
  }

  static func put(
    _ passphrase: PassphraseHash, of user: User.ID, at now: Date, in session: DatabaseSession
  ) throws {
    try session.run(
      """
      INSERT INTO passphrase (user_key, salt, rounds, block_size, parallelism, hash, set_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (user_key) DO UPDATE SET
        salt = excluded.salt, rounds = excluded.rounds, block_size = excluded.block_size,
        parallelism = excluded.parallelism, hash = excluded.hash, set_at = excluded.set_at
      """,
      [
        .number(user), .bytes(passphrase.salt), .number(Int64(passphrase.rounds)),
        .number(Int64(passphrase.blockSize)), .number(Int64(passphrase.parallelism)),
        .bytes(passphrase.hash), .date(now),
      ])
  }

  static func deletePassphrase(of user: User.ID, in session: DatabaseSession) throws {
    try session.run("DELETE FROM passphrase WHERE user_key = $1", [.number(user)])
  }

  private static let columns =
    "token_key, user_key, name, scope, created_at, expires_at, last_used_at"

  /// The tokens of a user, or of all users for nil.
  static func tokens(of user: User.ID?, in session: DatabaseSession) throws -> [APIToken] {
    try session.rows(
      """
      SELECT \(columns) FROM api_token WHERE $1::bigint IS NULL OR user_key = $1
      ORDER BY token_key
      """, [.number(user)]
    ).map(token)
  }

  static func findToken(hash: [UInt8], in session: DatabaseSession) throws -> APIToken? {
    try session.rows(
      prepared: "SELECT \(columns) FROM api_token WHERE hash = $1", [.bytes(hash)]
    ).first.map(token)
  }

  static func insert(
    _ token: APIToken, hash: [UInt8], in session: DatabaseSession
  ) throws -> APIToken {
    let row = try session.rows(
      """
      INSERT INTO api_token (user_key, name, hash, scope, created_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6) RETURNING token_key
      """,
      [
        .number(token.user), .text(token.name), .bytes(hash), .text(token.scope.rawValue),
        .date(token.createdAt), .date(token.expiresAt),
      ]
    ).first
    return APIToken(
      id: row?.number(0) ?? 0, user: token.user, name: token.name, scope: token.scope,
      createdAt: token.createdAt, expiresAt: token.expiresAt)
  }

  /// The SHA-256 of a token that exists.
  static func hash(of id: APIToken.ID, in session: DatabaseSession) throws -> [UInt8] {
    let row = try session.rows("SELECT hash FROM api_token WHERE token_key = $1", [.number(id)])
      .first
    return row?.findBytes(0).map { Array($0) } ?? []
  }

  /// Deletes a token. Returns whether there was one.
  static func deleteToken(_ id: APIToken.ID, in session: DatabaseSession) throws -> Bool {
    try session.run("DELETE FROM api_token WHERE token_key = $1", [.number(id)]) > 0
  }

  /// Deletes the expired tokens of a user.
  static func deleteExpired(
    of user: User.ID, at now: Date, in session: DatabaseSession
  ) throws {
    try session.run(
      "DELETE FROM api_token WHERE user_key = $1 AND expires_at <= $2",
      [.number(user), .date(now)])
  }

  /// Sets when a token and its user were last seen, unless a later time is stored.
  static func note(_ id: APIToken.ID, usedAt: Date, in session: DatabaseSession) throws {
    let row = try session.rows(
      """
      UPDATE api_token SET last_used_at = $1
      WHERE token_key = $2 AND (last_used_at IS NULL OR last_used_at < $1) RETURNING user_key
      """, [.date(usedAt), .number(id)]
    ).first
    if let row { try UserTable.note(row.number(0), seenAt: usedAt, in: session) }
  }

  private static func token(_ row: Row) -> APIToken {
    APIToken(
      id: row.number(0), user: row.number(1), name: row.text(2),
      scope: Right(rawValue: row.text(3)) ?? .read, createdAt: row.date(4),
      expiresAt: row.findDate(5), lastUsedAt: row.findDate(6))
  }
}
