import Foundation
import OffersCore

/// A login at a provider that a browser has begun and not ended: the values with which the provider's
/// answer is checked.
struct PendingLogin: Codable, Sendable {
  enum Purpose: Codable, Sendable {
    /// To log in as the user that has the identity.
    case logIn
    /// To give a user the identity.
    ///
    /// - Parameter session: the id of the session of the user, in hexadecimal, which must still be that
    ///   of the browser; nil on a server that requires no login.
    case connect(User.ID, session: String?)
  }

  /// The time in which a login must end, in seconds.
  static let lifetimeSeconds = 600.0
  /// The longest path to return to, in bytes: a cookie holds 4096 (RFC 6265, section 6.1).
  private static let pathBytes = 512

  let purpose: Purpose
  /// The path to redirect to after the login.
  let next: String
  /// Where the provider sends the browser with its answer.
  let redirectURL: String
  let startedAt: Date
  /// A random name of the login, which the provider sends back.
  let state: String
  /// A random value that the ID token must have.
  let nonce: String
  /// The random value that shows the provider that the code comes from who began the login (RFC 7636).
  let verifier: String

  /// - Throws: `OffersError` if no random values can be made.
  init(_ purpose: Purpose, next: String, redirectURL: String, at now: Date) throws {
    self.purpose = purpose
    self.next = next.utf8.count <= Self.pathBytes ? next : "/"
    self.redirectURL = redirectURL
    startedAt = now
    state = try APITokenText.randomText()
    nonce = try APITokenText.randomText()
    verifier = try APITokenText.randomText()
  }
}
