import Foundation
import HTTPTypes
import OffersCore

/// The cookies of a request.
enum CookieFields {
  /// The values of the cookies with a name, in their order. Another host of the domain can set a cookie
  /// of the same name, which a browser may send first.
  ///
  /// - Parameter isValid: whether a text may be a value; others are left out.
  static func values(
    of name: String, in fields: HTTPFields, limit: Int, where isValid: (Substring) -> Bool
  ) -> [String] {
    var values: [String] = []
    for field in fields[values: .cookie] {
      for pair in field.split(scalar: ";") {
        let parts = pair.trimmingSpaces.split(
          scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == name, isValid(parts[1]) {
          values.append(String(parts[1]))
          if values.count == limit { return values }
        }
      }
    }
    return values
  }
}

/// Where browsers send the server's cookies: below its base path only, and by https only if that is how they reach
/// it.
struct CookieScope: Sendable {
  /// Whether browsers reach the server by https only.
  let isSecure: Bool
  let basePath: BasePath

  /// The name of a cookie with its prefix. Browsers accept `__Secure-` with `Secure` and from a secure origin only,
  /// so that a page that was loaded without TLS cannot set the cookie; and `__Host-` only without `Domain` and with
  /// the path `/`, so that another host of the domain cannot either (RFC 6265bis, section 4.1.3).
  func name(_ name: String) -> String {
    if !isSecure { return name }
    return (basePath.text.isEmpty ? "__Host-" : "__Secure-") + name
  }

  /// The `Set-Cookie` field of a cookie, which scripts cannot read.
  func field(_ name: String, _ value: String, seconds: Int) -> String {
    "\(self.name(name))=\(value); Path=\(basePath.text.isEmpty ? "/" : basePath.text); HttpOnly; SameSite=Lax"
      + (isSecure ? "; Secure" : "") + "; Max-Age=\(seconds)"
  }
}

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
