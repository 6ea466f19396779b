import HTTPTypes

/// The security headers of every response: they restrict a page to this server's own scripts and
/// styles, and to its own and `data:` images, and forbid every site to frame it.
enum SecurityHeaders {
  /// The header fields.
  ///
  /// - Parameter framesSites: true for the page that shows other sites in a frame.
  static func fields(framesSites: Bool = false) -> HTTPFields {
    framesSites ? framing : ordinary
  }

  /// Adds the fields to a response that has none yet.
  static func complete(_ headers: inout HTTPFields) {
    if headers.contains(.contentSecurityPolicy) { return }
    headers.append(contentsOf: ordinary)
  }

  private static let ordinary = fields(policy: policy.joined(separator: "; "))
  private static let framing = fields(
    policy: (policy + ["frame-src http: https:"]).joined(separator: "; "))

  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
    "connect-src 'self'", "manifest-src 'self'", "worker-src 'self'", "form-action 'self'",
    "base-uri 'none'", "frame-ancestors 'none'",
  ]

  private static func fields(policy: String) -> HTTPFields {
    var fields: HTTPFields = [
      .contentSecurityPolicy: policy,
      .xContentTypeOptions: "nosniff",
    ]
    for (name, value) in [
      // Other sites get no referrer. With the policy `no-referrer` browsers would send the origin
      // “null” with this server's own forms, and `WriteRules` would refuse those that lack a
      // Sec-Fetch-Site, as over plain HTTP.
      ("Referrer-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ] {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    return fields
  }
}
