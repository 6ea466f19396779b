import HTTPTypes
import OffersCore

/// The cookies of a request.
enum CookieFields {
  /// The values of the cookies with a name, in their order. Another host of the domain can set a cookie
  /// of the same name, which a browser may send first.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of values.
  ///   - isValid: whether a text may be a value; others are left out.
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
