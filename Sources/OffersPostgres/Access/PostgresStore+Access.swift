import Foundation
import OffersCore

extension PostgresStore: SessionRepository {
  package func findSession(_ id: [UInt8]) async throws -> Session? {
    try await database.readOnce { try SessionTable.find(id, in: $0) }
  }

  package func fetchSessions() async throws -> [Session] {
    try await database.readOnce { try SessionTable.list(in: $0) }
  }

  package func putSession(_ new: Session) async throws {
    try await database.write { session in
      try UserTable.check(new.user, isExclusive: true, in: session)
      try SessionTable.deleteExpired(at: new.createdAt, in: session)
      try SessionTable.insert(new, in: session)
      try UserTable.note(new.user, seenAt: new.createdAt, in: session)
    }
  }

  package func noteSession(_ id: [UInt8], seenAt: Date) {
    laterWrites.add { [database] in
      try await database.write { try SessionTable.note(id, seenAt: seenAt, in: $0) }
    }
  }

  package func endSessions(_ ids: [[UInt8]]) async throws {
    if ids.isEmpty { return }
    try await database.write(isRepeatable: true) { try SessionTable.delete(ids, in: $0) }
  }
}

extension PostgresStore: CredentialRepository {
  package func findPassphrase(of user: User.ID) async throws -> PassphraseHash? {
    try await database.readOnce { try CredentialTable.findPassphrase(of: user, in: $0) }
  }

  package func fetchUsersWithPassphrase() async throws -> Set<User.ID> {
    try await database.readOnce { try CredentialTable.usersWithPassphrase(in: $0) }
  }

  package func setPassphrase(
    _ passphrase: PassphraseHash?, of user: User.ID, keeping id: [UInt8]?
  ) async throws {
    let now = Date()
    try await database.write { session in
      try UserTable.check(user, isExclusive: true, in: session)
      if let passphrase {
        try CredentialTable.put(passphrase, of: user, at: now, in: session)
      } else {
        try CredentialTable.deletePassphrase(of: user, in: session)
      }
      try SessionTable.deleteAll(of: user, except: id, in: session)
    }
  }

  package func fetchTokens(of user: User.ID?) async throws -> [APIToken] {
    try await database.readOnce { try CredentialTable.tokens(of: user, in: $0) }
  }

  package func findToken(hash: [UInt8]) async throws -> APIToken? {
    try await database.readOnce { try CredentialTable.findToken(hash: hash, in: $0) }
  }

  package func addToken(_ token: APIToken, hash: [UInt8]) async throws -> APIToken {
    try APIToken.check(name: token.name)
    return try await database.write { session in
      // The lock makes additions follow each other, so that the limit holds.
      try UserTable.check(token.user, isExclusive: true, in: session)
      try CredentialTable.deleteExpired(of: token.user, at: token.createdAt, in: session)
      try token.check(beside: try CredentialTable.tokens(of: token.user, in: session))
      return try CredentialTable.insert(token, hash: hash, in: session)
    }
  }

  package func revokeToken(_ id: APIToken.ID) async throws {
    try await database.write { session in
      guard try CredentialTable.deleteToken(id, in: session) else {
        throw OffersError(.notFound, "There is no such token: it was revoked.")
      }
    }
  }

  package func noteToken(_ id: APIToken.ID, usedAt: Date) {
    laterWrites.add { [database] in
      try await database.write { try CredentialTable.note(id, usedAt: usedAt, in: $0) }
    }
  }
}

extension PostgresStore: AttemptRepository {
  package func fetchAttempts() async throws -> [LoginAttempts] {
    try await database.readOnce { try AttemptTable.list(in: $0) }
  }

  package func putAttempts(
    _ attempts: [LoginAttempts], removing networks: [String]
  ) async throws {
    try await database.write(isRepeatable: true) { session in
      try AttemptTable.delete(networks.sorted(), in: session)
      try AttemptTable.put(attempts, in: session)
      try AttemptTable.prune(keeping: attempts.map(\.network), in: session)
    }
  }
}

extension PostgresStore: IdentityRepository {
  package func findUser(with identity: Identity) async throws -> User.ID? {
    try await database.readOnce { try IdentityTable.findUser(with: identity, in: $0) }
  }

  package func fetchUsers(withIdentityOf issuer: String) async throws -> Set<User.ID> {
    if issuer.utf8.contains(0) { return [] }
    return try await database.readOnce { try IdentityTable.users(withIdentityOf: issuer, in: $0) }
  }

  package func addIdentity(
    _ identity: Identity, to user: User.ID, at now: Date
  ) async throws {
    try await database.write { session in
      // Additions follow each other, so that each sees those before.
      try UserTable.lock(session)
      try UserTable.check(user, isExclusive: true, in: session)
      if let other = try IdentityTable.findUser(with: identity, in: session) {
        if other == user { return }
        throw Identity.refusalOfTaken
      }
      guard try !IdentityTable.hasIdentity(of: identity.issuer, user, in: session) else {
        throw Identity.refusalOfSecond
      }
      try IdentityTable.insert(identity, of: user, at: now, in: session)
    }
  }

  package func removeIdentity(of issuer: String, from user: User.ID) async throws {
    try await database.write { try IdentityTable.delete(of: issuer, user, in: $0) }
  }
}
