import Foundation
import HTTPTypes
import OffersCore

/// Where browsers send the server's cookies: below its base path only, and by https only if that is how they reach
/// it.
struct CookieScope: Sendable {
  let isSecure: Bool
  let basePath: BasePath

  func cookie(_ name: String) -> ServedCookie { ServedCookie(self, name) }
}

/// A cookie of the server, which scripts cannot read.
struct ServedCookie: Sendable {
  /// The maximum number of values that are looked at in a request. Another host of the domain can set a cookie
  /// of the same name, which a browser may send first.
  private static let valueLimit = 4

  /// The name with its prefix. Browsers accept `__Secure-` with `Secure` and from a secure origin only, so that a
  /// page that was loaded without TLS cannot set the cookie; and `__Host-` only without `Domain` and with the path
  /// `/`, so that another host of the domain cannot either (RFC 6265bis, section 4.1.3).
  private let name: String
  private let attributes: String

  fileprivate init(_ scope: CookieScope, _ name: String) {
    let path = scope.basePath.text
    let prefix = !scope.isSecure ? "" : path.isEmpty ? "__Host-" : "__Secure-"
    self.name = prefix + name
    attributes =
      "; Path=\(path.isEmpty ? "/" : path); HttpOnly; SameSite=Lax"
      + (scope.isSecure ? "; Secure" : "")
  }

  func setting(_ value: String, seconds: Int) -> String {
    "\(name)=\(value)\(attributes); Max-Age=\(seconds)"
  }

  var removal: String { setting("", seconds: 0) }

  func value(in setting: String) -> String? {
    let pair = setting.prefix { $0 != ";" }
    guard pair.hasPrefix(name + "=") else { return nil }
    let value = pair.dropFirst(name.count + 1)
    return value.isEmpty ? nil : String(value)
  }

  /// The values of the cookie in a request, in their order.
  ///
  /// - Parameter sizes: the sizes that a value can have, in bytes; others are left out.
  func values(in fields: HTTPFields, of sizes: ClosedRange<Int>) -> [String] {
    var values: [String] = []
    for field in fields[values: .cookie] {
      for pair in field.split(scalar: ";") {
        let parts = pair.trimmingSpaces.split(
          scalar: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == name, sizes.contains(parts[1].utf8.count) {
          values.append(String(parts[1]))
          if values.count == Self.valueLimit { return values }
        }
      }
    }
    return values
  }
}

/// The cookie that names a session: 256 random bits in hexadecimal.
enum SessionCookie {
  static let name = "offers-session"
  /// The size of a value, in bytes.
  static let sizes = 64...64
  /// The time for which a browser keeps it: that after which an unused session expires.
  static let seconds = Int(Session.idleSeconds)

  static func newValue() throws -> String { try RandomBytes.make(32).hexadecimal }

  /// The id of the session whose cookie has this value: its SHA-256.
  static func sessionID(of value: String) throws -> [UInt8] { try SHA256.digest(of: value) }
}
