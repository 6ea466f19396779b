import Foundation
import OffersCore

/// `SessionRepository`.
extension SQLStore {
  package func findSession(_ id: [UInt8]) async throws -> Session? {
    try await transaction(.lookup) { try SessionTable.find(id, in: $0) }
  }

  package func fetchSessions() async throws -> [Session] {
    try await transaction(.query) { try SessionTable.list(in: $0) }
  }

  package func putSession(_ session: Session, on ground: SessionGround) async throws {
    try await transaction(.write) { transaction in
      try UserTable.check(session.user, isExclusive: true, in: transaction)
      try ground.check(for: session.user, in: transaction)
      try SessionTable.deleteExpired(at: session.createdAt, in: transaction)
      try SessionTable.insert(session, in: transaction)
      try UserTable.note(session.user, seenAt: session.createdAt, in: transaction)
    }
  }

  package func checkPermit() async throws {
    guard let permit = WritePermit.current else { return }
    try await transaction(.query) { try permit.check(in: $0) }
  }

  package func noteSession(_ id: [UInt8], seenAt: Date) {
    writeLater { try SessionTable.note(id, seenAt: seenAt, in: $0) }
  }

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

/// `CredentialRepository`.
extension SQLStore {
  package func findPassphrase(of user: User.ID) async throws -> PassphraseHash? {
    try await transaction(.lookup) { try CredentialTable.findPassphrase(of: user, in: $0) }
  }

  package func fetchUsersWithPassphrase() async throws -> Set<User.ID> {
    try await transaction(.query) { try CredentialTable.usersWithPassphrase(in: $0) }
  }

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

  package func fetchTokens(of user: User.ID?) async throws -> [APIToken] {
    try await transaction(.query) { try CredentialTable.tokens(of: user, in: $0) }
  }

  package func findToken(hash: [UInt8]) async throws -> APIToken? {
    try await transaction(.lookup) { try CredentialTable.findToken(hash: hash, in: $0) }
  }

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

  package func revokeToken(_ id: APIToken.ID) async throws {
    try await transaction(.write) { transaction in
      guard try CredentialTable.deleteToken(id, in: transaction) else {
        throw OffersError(.notFound, "There is no such token: it was revoked.")
      }
    }
  }

  package func noteToken(_ id: APIToken.ID, usedAt: Date) {
    writeLater { try CredentialTable.note(id, usedAt: usedAt, in: $0) }
  }
}

/// `IdentityRepository`.
extension SQLStore {
  package func findUser(with identity: Identity) async throws -> User.ID? {
    try await transaction(.query) { try IdentityTable.findUser(with: identity, in: $0) }
  }

  package func fetchUsers(withIdentityOf issuer: String) async throws -> Set<User.ID> {
    try await transaction(.query) { try IdentityTable.users(withIdentityOf: issuer, in: $0) }
  }

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

  package func removeIdentity(of issuer: String, from user: User.ID) async throws {
    try await transaction(.write) { try IdentityTable.delete(of: issuer, user, in: $0) }
  }
}

/// `AttemptRepository`.
extension SQLStore {
  package func fetchAttempts() async throws -> [LoginAttempts] {
    try await transaction(.query) { try AttemptTable.list(in: $0) }
  }

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
