import Foundation
import GRDB
import OffersCore

extension OffersDatabase: SessionRepository {
  package func findSession(_ id: [UInt8]) async throws -> Session? {
    try await readStatement { try SessionTable.find(id, in: $0) }
  }

  package func fetchSessions() async throws -> [Session] {
    try await read { try SessionTable.list(in: $0) }
  }

  package func putSession(_ session: Session) async throws {
    try await write { database in
      try Self.checkUser(session.user, in: database)
      try SessionTable.deleteExpired(at: session.createdAt, in: database)
      try SessionTable.insert(session, in: database)
      try UserTable.note(session.user, seenAt: session.createdAt, in: database)
    }
  }

  package func noteSession(_ id: [UInt8], seenAt: Date) {
    writeLater(.note) { try SessionTable.note(id, seenAt: seenAt, in: $0) }
  }

  package func endSessions(_ ids: [[UInt8]]) async throws {
    if ids.isEmpty { return }
    try await write { database in
      for id in ids { try SessionTable.delete(id, in: database) }
    }
  }
}

extension OffersDatabase: CredentialRepository {
  package func findPassphrase(of user: User.ID) async throws -> PassphraseHash? {
    try await read { try CredentialTable.findPassphrase(of: user, in: $0) }
  }

  package func fetchUsersWithPassphrase() async throws -> Set<User.ID> {
    try await read { try CredentialTable.usersWithPassphrase(in: $0) }
  }

  package func setPassphrase(
    _ passphrase: PassphraseHash?, of user: User.ID, keeping session: [UInt8]?
  ) async throws {
    let now = Date()
    try await write { database in
      try Self.checkUser(user, in: database)
      if let passphrase {
        try CredentialTable.put(passphrase, of: user, at: now, in: database)
      } else {
        try CredentialTable.deletePassphrase(of: user, in: database)
      }
      try SessionTable.deleteAll(of: user, except: session, in: database)
    }
  }

  package func fetchTokens(of user: User.ID?) async throws -> [APIToken] {
    try await read { try CredentialTable.tokens(of: user, in: $0) }
  }

  package func findToken(hash: [UInt8]) async throws -> APIToken? {
    try await readStatement { try CredentialTable.findToken(hash: hash, in: $0) }
  }

  package func addToken(_ token: APIToken, hash: [UInt8]) async throws -> APIToken {
    try APIToken.check(name: token.name)
    return try await write { database in
      try Self.checkUser(token.user, in: database)
      try CredentialTable.deleteExpired(of: token.user, at: token.createdAt, in: database)
      try token.check(beside: try CredentialTable.tokens(of: token.user, in: database))
      return try CredentialTable.insert(token, hash: hash, in: database)
    }
  }

  package func revokeToken(_ id: APIToken.ID) async throws {
    try await write { database in
      guard try CredentialTable.deleteToken(id, in: database) else {
        throw OffersError(.notFound, "There is no such token: it was revoked.")
      }
    }
  }

  package func noteToken(_ id: APIToken.ID, usedAt: Date) {
    writeLater(.note) { try CredentialTable.note(id, usedAt: usedAt, in: $0) }
  }
}

extension OffersDatabase: IdentityRepository {
  package func findUser(with identity: Identity) async throws -> User.ID? {
    try await read { try IdentityTable.findUser(with: identity, in: $0) }
  }

  package func fetchUsers(withIdentityOf issuer: String) async throws -> Set<User.ID> {
    try await read { try IdentityTable.users(withIdentityOf: issuer, in: $0) }
  }

  package func addIdentity(
    _ identity: Identity, to user: User.ID, at now: Date
  ) async throws {
    try await write { database in
      try Self.checkUser(user, in: database)
      if let other = try IdentityTable.findUser(with: identity, in: database) {
        if other == user { return }
        throw Identity.refusalOfTaken
      }
      guard try !IdentityTable.hasIdentity(of: identity.issuer, user, in: database) else {
        throw Identity.refusalOfSecond
      }
      try IdentityTable.insert(identity, of: user, at: now, in: database)
    }
  }

  package func removeIdentity(of issuer: String, from user: User.ID) async throws {
    try await write { try IdentityTable.delete(of: issuer, user, in: $0) }
  }
}

extension OffersDatabase: AttemptRepository {
  package func fetchAttempts() async throws -> [LoginAttempts] {
    try await read { try AttemptTable.list(in: $0) }
  }

  package func putAttempts(
    _ attempts: [LoginAttempts], removing networks: [String]
  ) async throws {
    try await write(.note, waitSeconds: Self.attemptWaitSeconds) { database in
      for network in networks { try AttemptTable.delete(network, in: database) }
      for each in attempts { try AttemptTable.put(each, in: database) }
    }
  }

  /// The maximum wait for other writers to store attempts, in seconds. The server keeps them in
  /// memory and tries again.
  private static let attemptWaitSeconds = 2.0
}
