import HTTPTypes
import OffersCore

/// The security headers of every response: they restrict a page to this server's own scripts,
/// styles and fonts, and to its own and `data:` images, except for what `ContentSecurityPolicy` adds, and forbid every site
/// to frame it.
enum SecurityHeaders {
  static func fields(_ reach: ContentSecurityPolicy = .ownContent) -> HTTPFields {
    switch reach {
    case .ownContent: ordinary
    case .frames: framing
    case .images(let origin): fields(adding: origin, to: images)
    case .requests(let origin): fields(adding: origin, to: requests)
    }
  }

  static func complete(_ headers: inout HTTPFields) {
    if headers.contains(.contentSecurityPolicy) { return }
    headers.append(contentsOf: ordinary)
  }

  private static let ordinary = fields(policy: policy.joined(separator: "; "))
  private static let framing = fields(
    policy: (policy + ["frame-src http: https:"]).joined(separator: "; "))

  private static let images = "img-src 'self' data:"
  private static let requests = "connect-src 'self'"
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", images,
    "font-src 'self'", requests, "manifest-src 'self'", "worker-src 'self'",
    "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
  ]

  private static func fields(adding origin: String, to directive: String) -> HTTPFields {
    fields(
      policy: policy.map { $0 == directive ? "\($0) \(origin)" : $0 }.joined(separator: "; "))
  }

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

/// The content of other servers that a page may load.
enum ContentSecurityPolicy: Hashable, Sendable {
  case ownContent
  /// Other sites, in a frame.
  case frames
  /// Images of one other server, given as a scheme, a host and maybe a port.
  case images(from: String)
  /// Requests of the service worker to one other server, given likewise.
  case requests(to: String)
}
