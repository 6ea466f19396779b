import Foundation
import HTTPTypes
import OffersCore

@testable import OffersServer

extension ServedHome {
  /// The fields of a form that a page of the server sends.
  static let form: HTTPFields = [
    .contentType: "application/x-www-form-urlencoded", .origin: "http://localhost",
  ]

  static let passphrase = "correct horse battery"

  /// A cost at which tests do not wait for derivations.
  static let passphraseCost = Passphrase.Cost(rounds: 1 << 4, blockSize: 8, parallelism: 1)

  /// The stored form of the passphrase.
  private static let hash = Result { try Passphrase.hash(passphrase, cost: passphraseCost) }

  /// Adds a user with a passphrase.
  @discardableResult
  func addUser(_ name: String, _ role: User.Role) async throws -> User {
    let user = try await database.addUser(named: name, role: role)
    try await database.setPassphrase(try Self.hash.get(), of: user.id, keeping: nil)
    return user
  }

  /// Stores a session of a user, and returns its `Cookie` field.
  func cookie(of user: User, at now: Date) async throws -> String {
    let value = try SessionCookie.newValue()
    try await database.putSession(
      Session(
        id: try SessionCookie.sessionID(of: value), user: user.id, fingerprint: nil, createdAt: now,
        lastSeenAt: now, peer: "192.0.2.1", userAgent: "Browser of \(user.name)"), on: .token)
    return "offers-session=\(value)"
  }

  /// Adds a user with a session, and returns its `Cookie` field.
  func cookie(ofNew name: String, _ role: User.Role, at now: Date) async throws -> String {
    try await cookie(of: try await addUser(name, role), at: now)
  }

  /// Stores an API token of a user, and returns its `Authorization` field.
  func bearer(
    of user: User, _ scope: Right, named name: String, at now: Date, expiresAt: Date? = nil
  ) async throws -> String {
    let text = try APITokenText.make()
    _ = try await database.addToken(
      APIToken(
        id: 0, user: user.id, name: name, scope: scope, createdAt: now, expiresAt: expiresAt),
      hash: try APITokenText.hash(of: text))
    return "Bearer \(text)"
  }
}
