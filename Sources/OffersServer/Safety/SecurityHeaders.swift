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
      // No other site hears where somebody came from. With no word on it to ourselves, forms would
      // come with the origin “null”, and over plain HTTP with nothing else that tells whose they are.
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
