import Foundation
import OffersCore

extension OffersDatabase {
  /// The passphrase of a user; nil for a user without one.
  package func findPassphrase(of user: User.ID) async throws(OffersError) -> PassphraseHash? {
    try await transaction(.query) { try CredentialTable.findPassphrase(of: user, in: $0) }
  }

  /// The users that have a passphrase.
  package func fetchUsersWithPassphrase() async throws(OffersError) -> Set<User.ID> {
    try await transaction(.query) { try CredentialTable.usersWithPassphrase(in: $0) }
  }

  /// Stores the passphrase of a user durably, and ends the user's sessions.
  ///
  /// - Parameters:
  ///   - passphrase: the new one; nil to remove it.
  ///   - user: the user.
  ///   - session: the session that goes on; nil for none.
  /// - Throws: `OffersError` with `notFound` for an unknown user.
  package func setPassphrase(
    _ passphrase: PassphraseHash?, of user: User.ID, keeping session: [UInt8]?
  ) async throws(OffersError) {
    let now = Date()
    try await transaction(.write) { transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      if let passphrase {
        try CredentialTable.put(passphrase, of: user, at: now, in: transaction)
      } else {
        try CredentialTable.deletePassphrase(of: user, in: transaction)
      }
      try SessionTable.deleteAll(of: user, except: session, in: transaction)
    }
  }

  /// The tokens of a user, or of all users for nil, in the order in which they were added. Expired
  /// ones are returned as well.
  package func fetchTokens(of user: User.ID?) async throws(OffersError) -> [APIToken] {
    try await transaction(.query) { try CredentialTable.tokens(of: user, in: $0) }
  }

  /// The token with an SHA-256; nil if there is none. An expired one is returned as well.
  package func findToken(hash: [UInt8]) async throws(OffersError) -> APIToken? {
    try await transaction(.query) { try CredentialTable.findToken(hash: hash, in: $0) }
  }

  /// Stores a new token durably. An expired token with its name gives way.
  ///
  /// - Parameters:
  ///   - token: the token; its id is ignored.
  ///   - hash: the SHA-256 of the token, 32 bytes.
  /// - Returns: the token with its id.
  /// - Throws: `OffersError`: `notFound` for an unknown user; `invalidRequest` for an invalid name,
  ///   for one that another token of the user has, and for one token too many.
  package func addToken(_ token: APIToken, hash: [UInt8]) async throws(OffersError) -> APIToken {
    try APIToken.check(name: token.name)
    return try await transaction(.write) { transaction in
      // The lock makes additions follow each other, so that the limit holds.
      try UserTable.check(token.user, isExclusive: true, in: transaction)
      try CredentialTable.deleteExpired(of: token.user, at: token.createdAt, in: transaction)
      try token.check(beside: try CredentialTable.tokens(of: token.user, in: transaction))
      return try CredentialTable.insert(token, hash: hash, in: transaction)
    }
  }

  /// Removes a token durably.
  ///
  /// - Throws: `OffersError` with `notFound` if there is none with this id.
  package func revokeToken(_ id: APIToken.ID) async throws(OffersError) {
    try await transaction(.write) { transaction in
      guard try CredentialTable.deleteToken(id, in: transaction) else {
        throw OffersError(.notFound, "There is no such token: it was revoked.")
      }
    }
  }

  /// Records that a token was used, unless a later time is stored. Does not wait for the write,
  /// which may fail or be lost.
  package func noteToken(_ id: APIToken.ID, usedAt: Date) {
    writeLater { try CredentialTable.note(id, usedAt: usedAt, in: $0) }
  }
}

extension OffersDatabase {
  /// The user that has an identity; nil if nobody has.
  package func findUser(with identity: Identity) async throws(OffersError) -> User.ID? {
    try await transaction(.query) { try IdentityTable.findUser(with: identity, in: $0) }
  }

  /// The users that have an identity of an issuer.
  package func fetchUsers(withIdentityOf issuer: String) async throws(OffersError) -> Set<User.ID> {
    try await transaction(.query) { try IdentityTable.users(withIdentityOf: issuer, in: $0) }
  }

  /// Gives a user an identity, durably. An identity that the user has already is left as it is.
  ///
  /// - Throws: `OffersError`: `notFound` for an unknown user; `invalidRequest` if another user has the
  ///   identity, or the user has another one of the issuer.
  package func addIdentity(
    _ identity: Identity, to user: User.ID, at now: Date
  ) async throws(OffersError) {
    try await transaction(.write) { transaction in
      // Additions follow each other, so that each sees those before.
      try UserTable.lock(in: transaction)
      try UserTable.check(user, isExclusive: true, in: transaction)
      if let other = try IdentityTable.findUser(with: identity, in: transaction) {
        if other == user { return }
        throw Identity.refusalOfTaken
      }
      guard try !IdentityTable.hasIdentity(of: identity.issuer, user, in: transaction) else {
        throw Identity.refusalOfSecond
      }
      try IdentityTable.insert(identity, of: user, at: now, in: transaction)
    }
  }

  /// Removes the identity that a user has of an issuer, durably, if there is one.
  package func removeIdentity(of issuer: String, from user: User.ID) async throws(OffersError) {
    try await transaction(.write) { try IdentityTable.delete(of: issuer, user, in: $0) }
  }
}

extension OffersDatabase {
  /// The logins of all users, the owner's first.
  package func fetchLogins() async throws(OffersError) -> [UserCredentials] {
    try await transaction(.read) { transaction in
      try UserTable.list(in: transaction).map { user in
        UserCredentials(
          name: user.name,
          passphrase: try CredentialTable.findPassphrase(of: user.id, in: transaction),
          tokens: try CredentialTable.tokens(of: user.id, in: transaction).map { token in
            UserCredentials.Token(
              token, hash: try CredentialTable.hash(of: token.id, in: transaction))
          },
          connections: try IdentityTable.connections(of: user.id, in: transaction))
      }
    }
  }

  /// Gives the users of the same names these logins, in one transaction. A passphrase, a token or an
  /// identity that is there already stays, so that a second call changes nothing.
  ///
  /// - Throws: `OffersError` with `notFound` if a user is missing; then nothing is written.
  package func putLogins(_ logins: [UserCredentials]) async throws(OffersError) {
    let now = Date()
    try await transaction(.write) { transaction in
      try UserTable.lock(in: transaction)
      for login in logins {
        guard let user = try UserTable.find(named: login.name, in: transaction) else {
          throw OffersError(.notFound, "There is no user “\(login.name)”.")
        }
        if let passphrase = login.passphrase,
          try CredentialTable.findPassphrase(of: user.id, in: transaction) == nil
        {
          try CredentialTable.put(passphrase, of: user.id, at: now, in: transaction)
        }
        for token in login.tokens
        where try CredentialTable.findToken(hash: token.hash, in: transaction) == nil {
          _ = try CredentialTable.insert(
            token.token.moved(to: user.id), hash: token.hash, in: transaction)
        }
        for connection in login.connections
        where try IdentityTable.findUser(with: connection.identity, in: transaction) == nil {
          try IdentityTable.insert(
            connection.identity, of: user.id, at: connection.addedAt, in: transaction)
        }
      }
    }
  }
}

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

/// The SQL for the identities of users at OpenID providers.
enum IdentityTable {
  static func findUser(
    with identity: Identity, in transaction: any Transaction
  ) throws -> User.ID? {
    try transaction.first(
      "SELECT user_key FROM identity WHERE issuer = $1 AND subject = $2",
      [.text(identity.issuer), .text(identity.subject)]
    ) { $0.number(0) }
  }

  static func users(
    withIdentityOf issuer: String, in transaction: any Transaction
  ) throws -> Set<User.ID> {
    if !StoredText.isStorable(issuer) { return [] }
    return Set(
      try transaction.rows("SELECT user_key FROM identity WHERE issuer = $1", [.text(issuer)]) {
        $0.number(0)
      })
  }

  static func hasIdentity(
    of issuer: String, _ user: User.ID, in transaction: any Transaction
  ) throws -> Bool {
    try transaction.exists(
      "SELECT 1 FROM identity WHERE user_key = $1 AND issuer = $2", [.number(user), .text(issuer)])
  }

  /// The identities of a user, by the time at which they were added.
  static func connections(
    of user: User.ID, in transaction: any Transaction
  ) throws -> [UserCredentials.Connection] {
    try transaction.rows(
      """
      SELECT issuer, subject, added_at FROM identity WHERE user_key = $1 ORDER BY added_at, issuer
      """, [.number(user)]
    ) { row in
      UserCredentials.Connection(
        try Identity(issuer: row.text(0), subject: row.text(1)), addedAt: row.date(2))
    }
  }

  static func insert(
    _ identity: Identity, of user: User.ID, at now: Date, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "INSERT INTO identity (user_key, issuer, subject, added_at) VALUES ($1, $2, $3, $4)",
      [.number(user), .text(identity.issuer), .text(identity.subject), .date(now)])
  }

  static func delete(
    of issuer: String, _ user: User.ID, in transaction: any Transaction
  ) throws {
    try transaction.run(
      "DELETE FROM identity WHERE user_key = $1 AND issuer = $2", [.number(user), .text(issuer)])
  }
}
