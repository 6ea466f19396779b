import OffersCore
import OffersTestSupport
import Testing

@Suite("Identities at OpenID providers", .timeLimit(.minutes(2)))
struct IdentityRules {
  private static let issuer = "https://login.example"

  private static func identity(
    _ subject: String, _ issuer: String = issuer
  ) throws -> Identity {
    try Identity(issuer: issuer, subject: subject)
  }

  @Test(
    "an identity is of one user, is compared byte by byte, and goes with its user",
    arguments: StoreKind.allCases)
  func identities(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    let (store, ben) = (home.store, home.ben.id)
    let ana = try await store.addUser(named: "Ana", role: .member).id
    try await store.addIdentity(Self.identity("ben"), to: ben, at: .at(1))
    // Connected twice, it is still connected once.
    try await store.addIdentity(Self.identity("ben"), to: ben, at: .at(6))
    try await store.addIdentity(Self.identity("Ben"), to: ana, at: .at(1))
    try await store.addIdentity(
      Self.identity("ben", "https://other.example"), to: ana, at: .at(1))
    #expect(try await home.other.findUser(with: Self.identity("ben")) == ben)
    #expect(try await home.other.findUser(with: Self.identity("Ben")) == ana)
    #expect(try await home.other.findUser(with: Self.identity("ben ")) == nil)
    #expect(try await home.other.findUser(with: Self.identity("ben", Self.issuer + "/")) == nil)
    #expect(try await home.other.fetchUsers(withIdentityOf: Self.issuer) == [ben, ana])
    #expect(try await home.other.fetchUsers(withIdentityOf: "a\0b") == [])
    try await store.removeUser(ben)
    #expect(try await home.other.findUser(with: Self.identity("ben")) == nil)
    try await store.removeIdentity(of: Self.issuer, from: ana)
    try await store.removeIdentity(of: Self.issuer, from: ana)
    #expect(try await home.other.fetchUsers(withIdentityOf: Self.issuer) == [])
    #expect(try await home.other.fetchUsers(withIdentityOf: "https://other.example") == [ana])
  }

  @Test(
    "another user's identity, a second one of an issuer, and an unknown user are refused",
    arguments: StoreKind.allCases)
  func refusals(kind: StoreKind) async throws {
    let home = try await LoginHome(kind)
    try await home.store.addIdentity(Self.identity("ben"), to: home.ben.id, at: .at(1))
    for (subject, user, code) in [
      ("ben", User.ownerID, OffersError.Code.invalidRequest),
      ("second", home.ben.id, .invalidRequest), ("third", 99, .notFound),
    ] {
      let error = await refusal {
        try await home.other.addIdentity(Self.identity(subject), to: user, at: .at(1))
      }
      #expect(error?.code == code, "\(subject)")
    }
    #expect(try await home.store.fetchUsers(withIdentityOf: Self.issuer) == [home.ben.id])
  }
}
