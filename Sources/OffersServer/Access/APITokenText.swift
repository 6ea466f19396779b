import Crypto
import Foundation
import OffersCore

/// The text of API tokens: `offers_` and 256 random bits in base64url (RFC 4648, section 5). The
/// prefix lets scanners of published secrets recognize them.
package enum APITokenText {
  private static let prefix = "offers_"
  package static let byteCount = 32

  /// A new token.
  package static func make() -> String { prefix + randomText() }

  /// A text of 256 random bits in base64url.
  package static func randomText() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return Data(bytes).base64EncodedString().replacing(bytes: "+", with: "-")
      .replacing(bytes: "/", with: "_").replacing(bytes: "=", with: "")
  }

  /// Whether a text has the form of a token.
  static func isToken(_ text: String) -> Bool {
    text.utf8.count == prefix.utf8.count + 43 && text.hasPrefix(prefix)
  }

  /// The SHA-256 by which a token is stored.
  package static func hash(of token: String) -> [UInt8] {
    Array(SHA256.hash(data: Data(token.utf8)))
  }
}
