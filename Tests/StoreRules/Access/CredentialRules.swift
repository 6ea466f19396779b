import OffersCore
import OffersTestSupport
import Testing

@Suite("Passphrases and tokens", .timeLimit(.minutes(2)))
struct CredentialRules {
  private static let start = 1_800_000_000

  private static func passphrase(_ number: Int) -> PassphraseHash {
    PassphraseHash(
      salt: Array(repeating: UInt8(number), count: 16), rounds: 16, blockSize: 8, parallelism: 1,
      hash: LoginHome.hash(number))
  }

  private static func token(
    _ name: String, of user: User.ID = User.ownerID, expiresAt: Int? = nil
  ) -> APIToken {
    APIToken(
      id: 0, user: user, name: name, scope: .favorites, createdAt: .at(start),
      expiresAt: expiresAt.map { .at(start + $0) })
  }

  @Test(
    "a new passphrase replaces the one before, and ends the other sessions of its user only",
    arguments: StoreKind.allCases)
  func passphrases(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    let ben = home.ben.id
    for (number, user) in [(1, ben), (2, ben), (3, User.ownerID)] {
      try await home.store.putSession(
        Session(
          id: LoginHome.hash(number), user: user, fingerprint: nil, createdAt: .at(Self.start),
          lastSeenAt: .at(Self.start), peer: "192.0.2.1", userAgent: ""), on: .token)
    }
    #expect(try await home.store.findPassphrase(of: ben) == nil)
    try await home.store.setPassphrase(Self.passphrase(1), of: ben, keeping: LoginHome.hash(2))
    #expect(
      Set(try await home.other.fetchSessions().map(\.id)) == [
        LoginHome.hash(2), LoginHome.hash(3),
      ])
    try await home.store.setPassphrase(Self.passphrase(2), of: ben, keeping: nil)
    #expect(try await home.other.findPassphrase(of: ben) == Self.passphrase(2))
    #expect(try await home.other.fetchUsersWithPassphrase() == [ben])
    #expect(try await home.other.fetchSessions().map(\.user) == [User.ownerID])
    try await home.store.setPassphrase(nil, of: ben, keeping: nil)
    #expect(try await home.other.fetchUsersWithPassphrase() == [])
    let error = await refusal {
      try await home.store.setPassphrase(Self.passphrase(1), of: 99, keeping: nil)
    }
    #expect(error?.code == .notFound)
  }

  @Test(
    "a token is found by its hash, noted, revoked, and removed with its user",
    arguments: StoreKind.allCases)
  func tokens(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    let added = try await home.store.addToken(
      Self.token("kitchen", of: home.ben.id), hash: LoginHome.hash(1))
    let other = try await home.store.addToken(Self.token("kitchen"), hash: LoginHome.hash(2))
    #expect(try await home.other.findToken(hash: LoginHome.hash(1)) == added)
    #expect(try await home.other.findToken(hash: LoginHome.hash(9)) == nil)
    home.store.noteToken(added.id, usedAt: .at(Self.start + 600))
    home.store.noteToken(added.id, usedAt: .at(Self.start + 300))
    home.store.noteToken(other.id, usedAt: .at(Self.start + 100))
    try await eventually {
      try await home.other.findToken(hash: LoginHome.hash(2))?.lastUsedAt != nil
    }
    #expect(
      try await home.other.findToken(hash: LoginHome.hash(1))?.lastUsedAt == .at(Self.start + 600))
    #expect(try await home.other.findUser(named: "ben")?.lastSeenAt == .at(Self.start + 600))
    #expect(try await home.other.fetchTokens(of: nil).map(\.id) == [added.id, other.id])
    try await home.store.removeUser(home.ben.id)
    #expect(try await home.other.fetchTokens(of: nil).map(\.id) == [other.id])
    try await home.store.revokeToken(other.id)
    let error = await refusal { try await home.store.revokeToken(other.id) }
    #expect(error?.code == .notFound)
    // Nothing that names a revoked token names a later one.
    let later = try await home.store.addToken(Self.token("kitchen"), hash: LoginHome.hash(2))
    #expect(later.id > other.id)
  }

  @Test(
    "a taken or invalid name and a token too many are refused; an expired token gives way",
    arguments: StoreKind.allCases)
  func refusals(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    _ = try await home.store.addToken(
      Self.token("old", expiresAt: -1), hash: LoginHome.hash(0))
    for number in 1...100 {
      _ = try await home.store.addToken(
        Self.token(number == 1 ? "old" : "token \(number)"), hash: LoginHome.hash(number))
    }
    for name in ["old", "", " x", "a\nb", "a\0b", String(repeating: "a", count: 65), "one more"] {
      let error = await refusal {
        _ = try await home.store.addToken(Self.token(name), hash: LoginHome.hash(200))
      }
      #expect(error?.code == .invalidRequest, "\(name)")
    }
    #expect(try await home.other.fetchTokens(of: User.ownerID).count == 100)
  }
}
