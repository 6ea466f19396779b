import HTTPTypes

/// What every answer tells browsers, so that nothing but our own runs or is shown elsewhere.
enum SecurityHeaders {
  /// The fields, ready to be sent.
  ///
  /// - Parameter framesSites: for the one page that shows other sites in a frame.
  static func fields(framesSites: Bool = false) -> HTTPFields {
    framesSites ? framing : ordinary
  }

  /// Adds what an answer lacks.
  static func complete(_ headers: inout HTTPFields) {
    if headers.contains(.contentSecurityPolicy) { return }
    headers.append(contentsOf: ordinary)
  }

  /// Lets the forms of a page say whose they are: without a word on it browsers send the origin
  /// “null” with them, and over plain HTTP nothing else that would tell. No other site hears of it.
  static func tellOrigin(_ headers: inout HTTPFields) {
    if let name = referrerPolicy { headers[name] = "same-origin" }
  }

  private static let referrerPolicy = HTTPField.Name("Referrer-Policy")
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
      ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ] {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    return fields
  }
}
