import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersPostgres

@Suite("Logins in PostgreSQL", .timeLimit(.minutes(1)))
struct AccessTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  /// Opens a store that keeps its database, which would otherwise be removed at once.
  private static func open() async throws -> PostgresStore {
    let made = try await TestCluster.shared.value.makeDatabase()
    return try await PostgresStore.open(url: made.url(), definitions: Keeper(database: made))
  }

  /// Definitions of no feed, which a store keeps.
  private struct Keeper: FeedDefinitions {
    let database: TestDatabase

    func defines(_ feed: String) -> Bool { false }
    func isSelection(_ feed: String) throws -> Bool { false }
  }

  private static func hash(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: number) { Array($0) } + [UInt8](repeating: 7, count: 24)
  }

  private static func session(
    _ number: Int, of user: User.ID = User.ownerID, seen seconds: Double = 0
  ) -> OffersCore.Session {
    OffersCore.Session(
      id: hash(number), user: user, fingerprint: number == 1 ? hash(99) : nil,
      createdAt: now, lastSeenAt: now + seconds, peer: "127.0.0.1", userAgent: "a\0b")
  }

  @Test("sessions are stored, noted and ended; expired ones go with the next login")
  func sessions() async throws {
    let store = try await Self.open()
    try await store.putSession(Self.session(1))
    let found = try #require(try await store.findSession(Self.hash(1)))
    #expect(found.fingerprint == Self.hash(99) && found.userAgent == "a\u{FFFD}b")
    store.noteSession(Self.hash(1), seenAt: Self.now + 60)
    store.noteSession(Self.hash(1), seenAt: Self.now + 30)
    await store.laterWrites.finish()
    #expect(try await store.findSession(Self.hash(1))?.lastSeenAt == Self.now + 60)
    #expect(try await store.fetchUsers()[0].lastSeenAt == Self.now + 60)
    try await store.putSession(Self.session(2, seen: -40 * 86_400))
    try await store.putSession(Self.session(3))
    #expect(try await store.fetchSessions().map(\.id) == [Self.hash(1), Self.hash(3)])
    try await store.endSessions([Self.hash(1), Self.hash(9)])
    #expect(try await store.fetchSessions().map(\.id) == [Self.hash(3)])
    #expect(try await store.findSession(Self.hash(1)) == nil)
  }

  @Test("a user has at most 100 sessions; those of others stay")
  func sessionLimit() async throws {
    let store = try await Self.open()
    let ana = try await store.addUser(named: "Ana", role: .member)
    try await store.putSession(Self.session(1000, of: ana.id))
    for number in 0..<105 { try await store.putSession(Self.session(number, seen: Double(number))) }
    let ids = try await store.fetchSessions().map(\.id)
    #expect(ids.count == 101 && ids.contains(Self.hash(1000)) && !ids.contains(Self.hash(4)))
    #expect(ids.first == Self.hash(104))
  }

  @Test("a new passphrase ends the sessions of its user but one")
  func passphrases() async throws {
    let store = try await Self.open()
    for number in 1...3 { try await store.putSession(Self.session(number)) }
    let passphrase = PassphraseHash(
      salt: [UInt8](repeating: 1, count: 16), rounds: 16, blockSize: 8, parallelism: 1,
      hash: [UInt8](repeating: 2, count: 32))
    try await store.setPassphrase(passphrase, of: User.ownerID, keeping: Self.hash(2))
    #expect(try await store.findPassphrase(of: User.ownerID) == passphrase)
    #expect(try await store.fetchUsersWithPassphrase() == [User.ownerID])
    #expect(try await store.fetchSessions().map(\.id) == [Self.hash(2)])
    try await store.setPassphrase(nil, of: User.ownerID, keeping: nil)
    #expect(try await store.findPassphrase(of: User.ownerID) == nil)
    #expect(try await store.fetchSessions().isEmpty)
    let error = await #expect(throws: OffersError.self) {
      try await store.setPassphrase(passphrase, of: 77, keeping: nil)
    }
    #expect(error?.code == .notFound)
  }

  @Test("tokens are added with names of their own, found by their hash, and revoked")
  func tokens() async throws {
    let store = try await Self.open()
    func add(_ name: String, _ number: Int, expires: Date? = nil) async throws -> APIToken {
      try await store.addToken(
        APIToken(
          id: 0, user: User.ownerID, name: name, scope: .sync, createdAt: Self.now,
          expiresAt: expires), hash: Self.hash(number))
    }
    let first = try await add("phone", 1)
    #expect(try await store.findToken(hash: Self.hash(1)) == first)
    #expect(try await store.findToken(hash: Self.hash(2)) == nil)
    for name in ["phone", ""] {
      let error = await #expect(throws: OffersError.self) { try await add(name, 2) }
      #expect(error?.code == .invalidRequest)
    }
    let expired = try await add("old", 3, expires: Self.now)
    #expect(try await add("old", 4).id > expired.id)
    store.noteToken(first.id, usedAt: Self.now + 5)
    await store.laterWrites.finish()
    #expect(try await store.fetchTokens(of: nil).map(\.name) == ["phone", "old"])
    #expect(try await store.fetchTokens(of: User.ownerID)[0].lastUsedAt == Self.now + 5)
    try await store.revokeToken(first.id)
    let error = await #expect(throws: OffersError.self) { try await store.revokeToken(first.id) }
    #expect(error?.code == .notFound)
    for number in 1..<APIToken.limit { _ = try await add("t\(number)", 100 + number) }
    let full = await #expect(throws: OffersError.self) { try await add("one more", 500) }
    #expect(full?.message.contains("at most 100 tokens") == true)
  }

  @Test("attempts that failed later stay, and those for accounts are not displaced")
  func attempts() async throws {
    let store = try await Self.open()
    func attempts(_ network: String, _ count: Int, at seconds: Double) -> LoginAttempts {
      LoginAttempts(
        network: network, count: count, lastFailureAt: Self.now + seconds,
        waitUntil: Self.now + seconds + 1.5)
    }
    try await store.putAttempts([attempts("10.0.0.1", 3, at: 5)], removing: [])
    try await store.putAttempts([attempts("10.0.0.1", 2, at: 1)], removing: ["10.0.0.9"])
    let stored = try await store.fetchAttempts()
    #expect(stored.map(\.count) == [3] && stored[0].waitUntil == Self.now + 7)
    try await store.putAttempts(
      [attempts("account 7", 1, at: -900), attempts(LoginAttempts.overall, 9, at: -900)],
      removing: ["10.0.0.1"])
    let many = (0..<LoginAttempts.limit).map { attempts("n\($0)", 1, at: Double($0)) }
    try await store.putAttempts(Array(many.prefix(9000)), removing: [])
    try await store.putAttempts(Array(many.dropFirst(9000)), removing: [])
    let networks = Set(try await store.fetchAttempts().map(\.network))
    #expect(networks.count == LoginAttempts.limit)
    #expect(networks.isSuperset(of: ["account 7", LoginAttempts.overall, "n9999", "n2"]))
    #expect(networks.isDisjoint(with: ["n0", "n1"]))
  }
}
