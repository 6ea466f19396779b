import Foundation
import OffersCore

/// The secret that a client must show on a server that other machines can reach: as a bearer token
/// with each request, or once, to log in a browser.
struct ServerToken: Sendable {
  /// The random key with which the token is compared.
  private let key: HMACKey
  private let code: [UInt8]
  /// The token as the key of fingerprints.
  private let secret: HMACKey

  /// - Throws: `OffersError` if libcrypto fails.
  init(_ text: String) throws {
    key = try .random()
    code = try key.code(of: Array(text.utf8))
    secret = HMACKey(Array(text.utf8))
  }

  /// Refuses a text that was not generated.
  ///
  /// - Parameters:
  ///   - text: the token.
  ///   - path: the file that has it, for the message.
  /// - Throws: `OffersError` with `invalidRequest` unless the text has the form of
  ///   `APITokenText.randomText`.
  static func check(_ text: String, in path: String) throws {
    guard APITokenText.isRandomText(text) else {
      throw OffersError(
        .invalidRequest, "\(path) has no token that was made by: offers token new.",
        hint: "A token is generated, not chosen. Make another: offers token new FILE")
    }
  }

  /// Whether a text is the token, compared in constant time: the time reveals nothing about the
  /// token, however often somebody guesses.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  func isToken(_ text: String) throws -> Bool {
    try key.isCode(code, of: Array(text.utf8))
  }

  /// The fingerprint of a session that is made with this token.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  func fingerprint(of sessionID: [UInt8]) throws -> [UInt8] { try secret.code(of: sessionID) }

  /// Whether a session was made with this token.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  func hasMade(_ session: Session) throws -> Bool {
    guard let fingerprint = session.fingerprint else { return false }
    return try secret.isCode(fingerprint, of: session.id)
  }
}
