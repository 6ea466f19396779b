import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Identities at OpenID providers")
struct IdentityTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let issuer = "https://login.example"

  private static func identity(
    _ subject: String, _ issuer: String = issuer
  ) throws -> Identity {
    try Identity(issuer: issuer, subject: subject)
  }

  @Test("an identity is of one user, is compared byte by byte, and goes with its user")
  func identities() async throws {
    let store = try await Store()
    let database = store.database
    let ben = try await database.addUser(named: "Ben", role: .member)
    let ana = try await database.addUser(named: "Ana", role: .member)
    try await database.addIdentity(Self.identity("ben"), to: ben.id, at: Self.now)
    // Connected twice, it is still connected once.
    try await database.addIdentity(Self.identity("ben"), to: ben.id, at: Self.now + 5)
    try await database.addIdentity(Self.identity("Ben"), to: ana.id, at: Self.now)
    try await database.addIdentity(
      Self.identity("ben", "https://other.example"), to: ana.id, at: Self.now)
    #expect(try await database.findUser(with: Self.identity("ben")) == ben.id)
    #expect(try await database.findUser(with: Self.identity("Ben")) == ana.id)
    #expect(try await database.findUser(with: Self.identity("ben ")) == nil)
    #expect(try await database.findUser(with: Self.identity("ben", Self.issuer + "/")) == nil)
    #expect(try await database.fetchUsers(withIdentityOf: Self.issuer) == [ben.id, ana.id])
    #expect(
      try store.rows("SELECT subject, added_at FROM identity ORDER BY subject, added_at").first
        == "Ben|1800000000")
    try await database.removeUser(ben.id)
    #expect(try await database.findUser(with: Self.identity("ben")) == nil)
    try await database.removeIdentity(of: Self.issuer, from: ana.id)
    try await database.removeIdentity(of: Self.issuer, from: ana.id)
    #expect(try store.rows("SELECT issuer FROM identity") == ["https://other.example"])
  }

  @Test("another user's identity, a second one of an issuer, and an unknown user are refused")
  func refusals() async throws {
    let store = try await Store()
    let database = store.database
    let ben = try await database.addUser(named: "Ben", role: .member)
    try await database.addIdentity(Self.identity("ben"), to: ben.id, at: Self.now)
    for (subject, user, code) in [
      ("ben", User.ownerID, OffersError.Code.invalidRequest), ("second", ben.id, .invalidRequest),
      ("third", 99, .notFound),
    ] {
      let error = await #expect(throws: OffersError.self) {
        try await database.addIdentity(Self.identity(subject), to: user, at: Self.now)
      }
      #expect(error?.code == code, "\(subject)")
    }
    #expect(try await database.fetchUsers(withIdentityOf: Self.issuer) == [ben.id])
  }

  @Test(
    "an empty, a long or a NUL text is no identity",
    arguments: [
      ("", "a"), ("a", ""), ("a", String(repeating: "a", count: 256)), ("a", "b\0"), ("a\0", "b"),
      (String(repeating: "a", count: 1025), "b"),
    ])
  func invalid(issuer: String, subject: String) {
    let error = #expect(throws: OffersError.self) {
      try Identity(issuer: issuer, subject: subject)
    }
    #expect(error?.code == .invalidRequest)
  }
}
