import Crypto
import Foundation
import OffersCore

/// The secret that a client must show on a server that other machines can reach: as a bearer token
/// with each request, or once, to log in a browser.
struct AccessToken: Sendable {
  /// The minimum length of a token.
  static let leastCharacters = 16
  /// The maximum length of a token, in bytes.
  static let mostBytes = 4096

  /// The random key with which the token is compared.
  private let key = SymmetricKey(size: .bits256)
  private let code: HMAC<SHA256>.MAC
  /// The token as the key of fingerprints.
  private let secret: SymmetricKey

  init(_ text: String) {
    code = HMAC.authenticationCode(for: Data(text.utf8), using: key)
    secret = SymmetricKey(data: Data(text.utf8))
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
  func isToken(_ text: String) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Data(text.utf8), using: key)
  }

  /// The fingerprint of a session that is made with this token.
  func fingerprint(of sessionID: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: sessionID, using: secret))
  }

  /// Whether a session was made with this token.
  func hasMade(_ session: Session) -> Bool {
    guard let fingerprint = session.fingerprint else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(
      fingerprint, authenticating: session.id, using: secret)
  }
}
