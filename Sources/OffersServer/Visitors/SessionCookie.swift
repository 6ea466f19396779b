import Foundation
import HTTPTypes
import OffersCore

/// The cookie that names a session: 256 random bits.
struct SessionCookie: Sendable {
  /// Where browsers send it.
  let scope: CookieScope

  private static let name = "offers-session"

  /// The name of the cookie with its prefix.
  private var name: String { scope.name(Self.name) }

  /// The value of a new cookie, in hexadecimal.
  ///
  /// - Throws: `OffersError` if no random bytes can be made.
  static func newValue() throws -> String { try RandomBytes.make(32).hexadecimal }

  /// The id of the session whose cookie has this value: its SHA-256.
  ///
  /// - Throws: `OffersError` if libcrypto fails.
  static func sessionID(of value: String) throws -> [UInt8] { try SHA256.digest(of: value) }

  /// The maximum number of values that are looked up for a request.
  private static let valueLimit = 4

  /// The values of the cookie in a request, the first four at most. Another host of the domain can
  /// set a cookie of the same name, which a browser may send first. A text of another length than a
  /// value's is none.
  func values(in fields: HTTPFields) -> [String] {
    CookieFields.values(of: name, in: fields, limit: Self.valueLimit) {
      $0.utf8.count == 64
    }
  }

  /// The `Set-Cookie` field that gives a browser the cookie for the time after which an unused
  /// session expires.
  func setting(_ value: String) -> String {
    scope.field(Self.name, value, seconds: Int(Session.idleSeconds))
  }

  /// The value that a `Set-Cookie` field gives to a browser; nil for another cookie, or a removal.
  func value(in setting: String) -> String? {
    let pair = setting.prefix { $0 != ";" }
    guard pair.hasPrefix(name + "=") else { return nil }
    let value = pair.dropFirst(name.count + 1)
    return value.isEmpty ? nil : String(value)
  }

  /// The `Set-Cookie` field that removes the cookie from a browser.
  var removal: String { scope.field(Self.name, "", seconds: 0) }
}
