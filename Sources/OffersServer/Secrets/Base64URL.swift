import Foundation
import OffersCore

/// Base64 for URLs and cookies, without padding (RFC 4648, section 5).
enum Base64URL {
  static func text(of bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing(bytes: "+", with: "-")
      .replacing(bytes: "/", with: "_").replacing(bytes: "=", with: "")
  }

  /// The bytes of a text; nil for a text of another form.
  static func data(of text: some StringProtocol) -> Data? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(
      base64Encoded: String(text).replacing(bytes: "-", with: "+").replacing(bytes: "_", with: "/")
        + padding)
  }
}
