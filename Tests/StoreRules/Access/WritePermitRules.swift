import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Writes for a user whose access may have ended", .timeLimit(.minutes(2)))
struct WritePermitRules {
  private static let id = LoginHome.hash(1)

  private static func session(_ id: [UInt8], of user: User.ID) -> Session {
    Session(
      id: id, user: user, fingerprint: nil, createdAt: .at(1), lastSeenAt: .at(1),
      peer: "192.0.2.1", userAgent: "")
  }

  private static func token(of user: User.ID) -> APIToken {
    APIToken(
      id: 0, user: user, name: "kitchen", scope: .admin, createdAt: .at(1), expiresAt: nil)
  }

  private static func refused(
    _ permit: WritePermit, _ write: () async throws -> Void
  ) async -> OffersError? {
    do {
      try await WritePermit.$current.withValue(permit) { try await write() }
      return nil
    } catch {
      return error as? OffersError
    }
  }

  @Test(
    "are refused after a logout, a revocation, another role and a removal, and change nothing",
    arguments: StoreKind.allCases)
  func ends(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    let ben = home.ben.id
    try await home.store.putSession(Self.session(Self.id, of: ben), on: .token)
    let token = try await home.store.addToken(Self.token(of: ben), hash: LoginHome.hash(2))
    let proofs: [WritePermit.Proof] = [.session(Self.id), .token(token.id), .none]
    let permits = proofs.map { WritePermit(user: ben, role: .member, proof: $0) }
    let database = home.store.bound(to: home.ben)
    func write(_ permit: WritePermit) async -> OffersError? {
      await Self.refused(permit) {
        try await database.setMark(ReaderMark(changeID: 3, readAt: .at(5)), of: "mail")
      }
    }
    for permit in permits { #expect(await write(permit) == nil) }
    #expect(try await home.other.bound(to: home.ben).findMark(of: "mail") != nil)
    try await home.other.changeUser(ben, name: nil, role: .viewer)
    for permit in permits { #expect(await write(permit) == .roleChanged) }
    try await home.other.changeUser(ben, name: nil, role: .member)
    try await home.other.endSessions([Self.id])
    try await home.other.revokeToken(token.id)
    #expect(await write(permits[0]) == .accessEnded)
    #expect(await write(permits[1]) == .accessEnded)
    #expect(await write(permits[2]) == nil)
    let calls: [(OffersDatabase) async throws -> Void] = [
      { try await $0.addUser(named: "Eve", role: .admin) },
      { try await $0.changeUser(ben, name: nil, role: .admin) },
      { try await $0.setPassphrase(nil, of: ben, keeping: nil) },
      { _ = try await $0.addToken(Self.token(of: ben), hash: LoginHome.hash(3)) },
      { try await $0.endSessions([LoginHome.hash(9)]) },
      { _ = try await $0.subscribe(to: "tea", source: "https://e.com/") },
      { try await $0.setFavorites([], to: true) },
      { try await $0.checkPermit() },
    ]
    for (index, call) in calls.enumerated() {
      let error = await Self.refused(permits[0]) { try await call(database) }
      #expect(error == .accessEnded, "call \(index)")
    }
    #expect(try await home.other.fetchUsers().map(\.role) == [.admin, .member])
    #expect(try await home.other.fetchTokens(of: nil).isEmpty)
    #expect(try await home.other.fetchFeeds().isEmpty)
    try await home.other.removeUser(ben)
    #expect(await write(permits[2]) == .accessEnded)
  }

  @Test(
    "a session is stored only while that by which its browser logs in is true",
    arguments: StoreKind.allCases)
  func grounds(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    let ben = home.ben.id
    let old = PassphraseHash(
      salt: Array(repeating: 1, count: 16), rounds: 16, blockSize: 8, parallelism: 1,
      hash: LoginHome.hash(1))
    let new = PassphraseHash(
      salt: old.salt, rounds: 16, blockSize: 8, parallelism: 1, hash: LoginHome.hash(2))
    let identity = try Identity(issuer: "https://login.example", subject: "ben")
    try await home.store.setPassphrase(old, of: ben, keeping: nil)
    try await home.store.addIdentity(identity, to: ben, at: .at(1))
    let maker = WritePermit(user: User.ownerID, role: .admin, proof: .session(Self.id))
    try await home.store.putSession(Self.session(Self.id, of: User.ownerID), on: .token)
    let grounds: [SessionGround] = [.passphrase(old), .identity(identity), .invitation(maker)]
    for (index, ground) in grounds.enumerated() {
      try await home.store.putSession(
        Self.session(LoginHome.hash(10 + index), of: ben), on: ground)
    }
    try await home.other.setPassphrase(new, of: ben, keeping: nil)
    try await home.other.removeIdentity(of: identity.issuer, from: ben)
    try await home.other.endSessions([Self.id])
    for (index, ground) in grounds.enumerated() {
      let error = await refusal {
        try await home.store.putSession(
          Self.session(LoginHome.hash(20 + index), of: ben), on: ground)
      }
      #expect(error == .accessEnded, "ground \(index)")
    }
    #expect(try await home.other.fetchSessions().isEmpty)
    try await home.store.putSession(
      Self.session(LoginHome.hash(30), of: ben), on: .passphrase(new))
    #expect(try await home.other.fetchSessions().count == 1)
  }
}
