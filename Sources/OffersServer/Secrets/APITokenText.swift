import Foundation
import OffersCore

/// The text of API tokens: `offers_` and 256 random bits in base64url (RFC 4648, section 5). The
/// prefix lets scanners of published secrets recognize them.
package enum APITokenText {
  private static let prefix = "offers_"
  package static let byteCount = 32

  /// A new token.
  ///
  /// - Throws: `OffersError` if no random bytes can be made.
  package static func make() throws -> String { prefix + (try randomText()) }

  /// A text of 256 random bits in base64url.
  ///
  /// - Throws: `OffersError` if no random bytes can be made.
  package static func randomText() throws -> String {
    Base64URL.text(of: try RandomBytes.make(byteCount))
  }

  /// Whether a text has the form of `randomText`.
  static func isRandomText(_ text: String) -> Bool {
    text.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil
  }

  /// Whether a text has the form of a token.
  static func isToken(_ text: String) -> Bool {
    text.utf8.count == prefix.utf8.count + 43 && text.hasPrefix(prefix)
  }

  /// The SHA-256 by which a token is stored.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  package static func hash(of token: String) throws -> [UInt8] { try SHA256.digest(of: token) }
}
