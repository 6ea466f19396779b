import Foundation
import OffersCore

extension OffersDatabase {
  /// The session with an id; nil if there is none. An expired one is returned as well.
  package func findSession(_ id: [UInt8]) async throws -> Session? {
    try await transaction(.lookup) { try SessionTable.find(id, in: $0) }
  }

  /// All sessions, the last seen one first, expired ones included.
  package func fetchSessions() async throws -> [Session] {
    try await transaction(.query) { try SessionTable.list(in: $0) }
  }

  /// Stores a new session durably, and removes expired ones.
  ///
  /// - Throws: `OffersError.accessEnded` or `.roleChanged` if the ground of the login is no longer true;
  ///   `notFound` for an unknown user.
  package func putSession(_ session: Session, on ground: SessionGround) async throws {
    try await transaction(.write) { transaction in
      try UserTable.check(session.user, isExclusive: true, in: transaction)
      try ground.check(for: session.user, in: transaction)
      try SessionTable.deleteExpired(at: session.createdAt, in: transaction)
      try SessionTable.insert(session, in: transaction)
      try UserTable.note(session.user, seenAt: session.createdAt, in: transaction)
    }
  }

  /// Checks the permit of the current task, as each write does, before a change that is not of the store.
  ///
  /// - Throws: `OffersError.accessEnded`, or `.roleChanged`.
  package func checkPermit() async throws {
    guard let permit = WritePermit.current else { return }
    try await transaction(.query) { try permit.check(in: $0) }
  }

  /// Records that a session and its user were seen, unless a later time is stored. Does not wait for the write,
  /// which may fail or be lost.
  package func noteSession(_ id: [UInt8], seenAt: Date) {
    writeLater { try SessionTable.note(id, seenAt: seenAt, in: $0) }
  }

  /// Removes sessions durably; an id without a session is ignored.
  package func endSessions(_ ids: [[UInt8]]) async throws {
    if ids.isEmpty { return }
    try await transaction(.repeatableWrite) { transaction in
      // In one order, so that two nodes do not wait for each other.
      for id in ids.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        try SessionTable.delete(id, in: transaction)
      }
    }
  }
}

extension OffersDatabase {
  /// The passphrase of a user; nil for a user without one.
  package func findPassphrase(of user: User.ID) async throws -> PassphraseHash? {
    try await transaction(.lookup) { try CredentialTable.findPassphrase(of: user, in: $0) }
  }

  /// The users that have a passphrase.
  package func fetchUsersWithPassphrase() async throws -> Set<User.ID> {
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
  ) async throws {
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
  package func fetchTokens(of user: User.ID?) async throws -> [APIToken] {
    try await transaction(.query) { try CredentialTable.tokens(of: user, in: $0) }
  }

  /// The token with an SHA-256; nil if there is none. An expired one is returned as well.
  package func findToken(hash: [UInt8]) async throws -> APIToken? {
    try await transaction(.lookup) { try CredentialTable.findToken(hash: hash, in: $0) }
  }

  /// Stores a new token durably. An expired token with its name gives way.
  ///
  /// - Parameters:
  ///   - token: the token; its id is ignored.
  ///   - hash: the SHA-256 of the token, 32 bytes.
  /// - Returns: the token with its id.
  /// - Throws: `OffersError`: `notFound` for an unknown user; `invalidRequest` for an invalid name,
  ///   for one that another token of the user has, and for one token too many.
  package func addToken(_ token: APIToken, hash: [UInt8]) async throws -> APIToken {
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
  package func revokeToken(_ id: APIToken.ID) async throws {
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
  package func findUser(with identity: Identity) async throws -> User.ID? {
    try await transaction(.query) { try IdentityTable.findUser(with: identity, in: $0) }
  }

  /// The users that have an identity of an issuer.
  package func fetchUsers(withIdentityOf issuer: String) async throws -> Set<User.ID> {
    try await transaction(.query) { try IdentityTable.users(withIdentityOf: issuer, in: $0) }
  }

  /// Gives a user an identity, durably. An identity that the user has already is left as it is.
  ///
  /// - Throws: `OffersError`: `notFound` for an unknown user; `invalidRequest` if another user has the
  ///   identity, or the user has another one of the issuer.
  package func addIdentity(
    _ identity: Identity, to user: User.ID, at now: Date
  ) async throws {
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
  package func removeIdentity(of issuer: String, from user: User.ID) async throws {
    try await transaction(.write) { try IdentityTable.delete(of: issuer, user, in: $0) }
  }
}

extension OffersDatabase {
  /// The attempts of all networks, and those of all together.
  package func fetchAttempts() async throws -> [LoginAttempts] {
    try await transaction(.query) { try AttemptTable.list(in: $0) }
  }

  /// Stores attempts, each in place of those of the same network unless these failed later, and
  /// removes the attempts of other networks. A power cut may lose the last changes.
  ///
  /// - Parameters:
  ///   - attempts: the attempts to store.
  ///   - networks: the networks whose attempts are removed.
  package func putAttempts(
    _ attempts: [LoginAttempts], removing networks: [String]
  ) async throws {
    try await transaction(.note) { transaction in
      try AttemptTable.delete(networks.sorted(), in: transaction)
      try AttemptTable.put(attempts, in: transaction)
      try AttemptTable.prune(keeping: attempts.map(\.network), in: transaction)
    }
  }
}
