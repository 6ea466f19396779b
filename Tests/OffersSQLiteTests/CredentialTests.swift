import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Passphrases and API tokens")
struct CredentialTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  private static func hash(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: 32) }

  private static func passphrase(_ number: UInt8) -> PassphraseHash {
    PassphraseHash(
      salt: Array(repeating: number, count: 16), rounds: 16, blockSize: 8, parallelism: 1,
      hash: hash(number))
  }

  private static func token(
    _ name: String, of user: User, expiresAt: Date? = nil
  ) -> APIToken {
    APIToken(
      id: 0, user: user.id, name: name, scope: .favorites, createdAt: start, expiresAt: expiresAt)
  }

  private static func session(_ number: UInt8, of user: User) -> Session {
    Session(
      id: hash(number), user: user.id, fingerprint: nil, createdAt: start, lastSeenAt: start,
      peer: "192.0.2.1", userAgent: "")
  }

  @Test("a new passphrase replaces the one before, and ends the other sessions of its user only")
  func passphrases() async throws {
    let store = try await Store()
    let database = store.database
    let ben = try await database.addUser(named: "Ben", role: .member)
    let owner = try await database.fetchOwner()
    for (number, user) in [(1, ben), (2, ben), (3, owner)] as [(UInt8, User)] {
      try await database.putSession(Self.session(number, of: user))
    }
    #expect(try await database.findPassphrase(of: ben.id) == nil)
    try await database.setPassphrase(Self.passphrase(1), of: ben.id, keeping: Self.hash(2))
    #expect(
      Set(try await database.fetchSessions().map(\.id)) == [Self.hash(2), Self.hash(3)])
    try await database.setPassphrase(Self.passphrase(2), of: ben.id, keeping: nil)
    #expect(try await database.findPassphrase(of: ben.id) == Self.passphrase(2))
    #expect(try await database.fetchUsersWithPassphrase() == [ben.id])
    #expect(try await database.fetchSessions().map(\.user) == [owner.id])
    try await database.setPassphrase(nil, of: ben.id, keeping: nil)
    #expect(try await database.fetchUsersWithPassphrase() == [])
    let error = await #expect(throws: OffersError.self) {
      try await database.setPassphrase(Self.passphrase(1), of: 99, keeping: nil)
    }
    #expect(error?.code == .notFound)
  }

  @Test("a token is found by its hash, noted, revoked, and removed with its user")
  func tokens() async throws {
    let store = try await Store()
    let database = store.database
    let ben = try await database.addUser(named: "Ben", role: .member)
    let added = try await database.addToken(Self.token("kitchen", of: ben), hash: Self.hash(1))
    let other = try await database.addToken(
      Self.token("kitchen", of: try await database.fetchOwner()), hash: Self.hash(2))
    #expect(try await database.findToken(hash: Self.hash(1)) == added)
    #expect(try await database.findToken(hash: Self.hash(9)) == nil)
    database.noteToken(added.id, usedAt: Self.start + 600)
    database.noteToken(added.id, usedAt: Self.start + 300)
    try await database.finishLaterWrites()
    let noted = try await database.findToken(hash: Self.hash(1))
    #expect(noted?.lastUsedAt == Self.start + 600)
    #expect(try await database.fetchUser(named: "ben").lastSeenAt == Self.start + 600)
    #expect(try await database.fetchTokens(of: nil).map(\.id) == [added.id, other.id])
    try await database.removeUser(ben.id)
    #expect(try await database.fetchTokens(of: nil) == [other])
    try await database.revokeToken(other.id)
    let error = await #expect(throws: OffersError.self) { try await database.revokeToken(other.id) }
    #expect(error?.code == .notFound)
  }

  @Test("a taken or invalid name and a token too many are refused; an expired token gives way")
  func refusals() async throws {
    let store = try await Store()
    let database = store.database
    let ben = try await database.addUser(named: "Ben", role: .member)
    _ = try await database.addToken(
      Self.token("old", of: ben, expiresAt: Self.start - 1), hash: Self.hash(0))
    for number in 1...100 {
      _ = try await database.addToken(
        Self.token(number == 1 ? "old" : "token \(number)", of: ben), hash: Self.hash(UInt8(number))
      )
    }
    for name in ["old", "", " x", "a\nb", String(repeating: "a", count: 65), "one more"] {
      let error = await #expect(throws: OffersError.self) {
        try await database.addToken(Self.token(name, of: ben), hash: Self.hash(200))
      }
      #expect(error?.code == .invalidRequest, "\(name)")
    }
    #expect(try await database.fetchTokens(of: ben.id).count == 100)
  }

  @Test("attempts from many networks do not displace the attempts for an account")
  func accounts() async throws {
    let store = try await Store()
    var account = LoginAttempts(network: LoginAttempts.account("Ben"))
    account.fail(at: Self.start)
    try await store.database.putAttempts([account], removing: [])
    try store.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10010)
      INSERT INTO login_attempt (network, failure_count, last_failure_at, wait_until)
      SELECT 'network' || i, 1, 1800000000 + i, 0 FROM n
      """)
    let stored = try await store.database.fetchAttempts()
    #expect(stored.count == 10_000)
    #expect(stored.contains { $0.network == account.network })
    #expect(LoginAttempts.account("ben") == account.network)
  }
}
