import Foundation
import OffersCore

/// The secret that a client must show on a server that other machines can reach: as a bearer token
/// with each request, or once, to log in a browser.
struct ServerToken: Sendable {
  /// The minimum length of a token.
  static let leastCharacters = 16
  /// The maximum length of a token, in bytes.
  static let mostBytes = 4096

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

  /// Checks the text of a token.
  ///
  /// - Parameters:
  ///   - text: the token.
  ///   - path: the file that has it, for the messages.
  /// - Throws: `OffersError` with `invalidRequest` for a token with spaces or characters other than
  ///   printable ASCII, and for one that is too long, too short, or that can be guessed.
  static func check(_ text: String, in path: String) throws {
    guard text.utf8.count <= mostBytes, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw OffersError(
        .invalidRequest, "\(path) has no token: one line of printable ASCII without spaces.",
        hint: hint)
    }
    guard text.utf8.count >= leastCharacters else {
      throw OffersError(
        .invalidRequest,
        "The token in \(path) is too short: it must have at least \(leastCharacters) characters.",
        hint: hint)
    }
    guard TokenStrength.bits(of: text) >= TokenStrength.leastBits else {
      throw OffersError(
        .invalidRequest, "The token in \(path) is too weak: programs guess such texts first.",
        hint: hint)
    }
  }

  static let hint = "Make another: offers token new FILE"

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
