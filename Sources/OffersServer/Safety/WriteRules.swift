import HTTPTypes
import Hummingbird

/// The rules against cross-site request forgery (CSRF), for all requests but GET and HEAD. A
/// request is refused if its `Sec-Fetch-Site` or its `Origin` shows that it comes from another
/// site.
///
/// A request to a path below `/api/` must also have the media type `application/json`, which an
/// HTML form cannot send. A script of another site could send it only after a preflight request
/// (OPTIONS) that succeeds, and this server answers each with an error. A request to any other path
/// must be an HTML form with an `Origin`.
enum WriteRules {
  /// Checks a request that changes something.
  ///
  /// - Parameter isSecure: whether browsers reach the server by https only. A page of the same host that
  ///   was loaded without TLS, which anybody on the network may have written, is then of another
  ///   origin.
  /// - Throws: `Problem` with status 403 for another origin or a form without one, with 415 for
  ///   another media type than the path requires.
  static func check(_ request: Request, isSecure: Bool = false) throws {
    let headers = request.headers
    let origin = headers[.origin]
    let site = site(of: request)
    let isForm = !request.uri.path.hasPrefix("/api/")
    // Browsers send Sec-Fetch-Site, and scripts cannot set it:
    // https://www.w3.org/TR/fetch-metadata/
    if let site, site != "same-origin", site != "none" {
      throw refusal("This request comes from another site.")
    }
    if let origin {
      // A page with the referrer policy `no-referrer` sends the origin “null” with its forms.
      let isHidden = origin == "null" && site == "same-origin"
      guard isHidden || isOwn(origin, of: request, isSecure) else {
        // A browser that names no other site may have sent it to a proxy that asks for another host than the browser.
        throw Problem(
          .forbidden, "This request comes from another site.",
          hint: "Only pages of this server may change something. \(RequestValidation.proxyHint)")
      }
    } else if isForm {
      throw refusal("This form does not name its origin.")
    }
    let type = mediaType(headers[.contentType])
    if isForm {
      guard type == "application/x-www-form-urlencoded" else {
        throw Problem(
          .unsupportedMediaType, "A form must be sent as application/x-www-form-urlencoded.")
      }
    } else if type != "application/json" {
      throw Problem(
        .unsupportedMediaType,
        "A request that changes something must be sent as application/json.",
        hint: "Add the field Content-Type: application/json, even without a body.")
    }
  }

  /// Whether the request may come from a link or a page of another site.
  ///
  /// Browsers send `Sec-Fetch-Site` to loopback and over TLS only. Without it, a request counts as
  /// one of this server's pages if its `Referer` names this server, as the referrer policy of these
  /// pages requires. A page of another site can neither set an `Authorization` field without a
  /// preflight request, which fails here, nor change the name by which all browsers introduce
  /// themselves.
  ///
  /// A navigation that the service worker passes on is `same-origin` in WebKit, wherever its link
  /// was. Its `Referer` tells: it names the page with the link, and the worker itself for a page
  /// that does not tell its address.
  static func mayBeFromOtherSite(_ request: Request) -> Bool {
    let headers = request.headers
    let isReferredElsewhere = headers[.referer].map { !isOwnPage($0, of: request) }
    if let site = site(of: request) {
      return site != "same-origin" && site != "none" || isReferredElsewhere ?? false
    }
    // A browser adds fields of other schemes itself, such as the password of a proxy.
    if request.bearerToken != nil { return false }
    return isReferredElsewhere ?? headers[.userAgent]?.hasPrefix("Mozilla/") ?? false
  }

  /// Whether a `Referer` names a page of this server; its service worker is none.
  private static func isOwnPage(_ referrer: String, of request: Request) -> Bool {
    let parts = referrer.split(scalar: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let path = parts.dropFirst(3).first?.prefix { $0 != "?" }
    return isOwn(parts.prefix(3).joined(separator: "/"), of: request, false)
      && path?.split(scalar: "/").last != "sw.js"
  }

  private static let siteName = HTTPField.Name("Sec-Fetch-Site")

  private static func site(of request: Request) -> String? {
    siteName.flatMap { request.headers[$0] }
  }

  private static func isOwn(
    _ origin: String, of request: Request, _ isSecure: Bool
  ) -> Bool {
    guard let host = request.head.authority.flatMap({ Authority($0) }) else { return false }
    let origin = origin.lowercased()
    return [("https://", 443), ("http://", 80)].prefix(isSecure ? 1 : 2).contains { scheme, port in
      guard origin.hasPrefix(scheme), let named = Authority(origin.dropFirst(scheme.count)) else {
        return false
      }
      // An origin leaves the usual port out; some proxies add it to the host.
      return named.host == host.host && named.port ?? port == host.port ?? port
    }
  }

  private static func refusal(_ detail: String) -> Problem {
    Problem(.forbidden, detail, hint: "Only pages of this server may change something.")
  }

  private static func mediaType(_ field: String?) -> String {
    let type = field?.prefix { $0 != ";" } ?? ""
    return type.trimmingSpaces.lowercased()
  }
}

extension Request {
  /// The origin that a form names; nil for one that hides it.
  var namedOrigin: String? { headers[.origin].flatMap { $0 == "null" ? nil : $0 } }
}

extension Substring {
  /// The text without the spaces and tabs around it.
  var trimmingSpaces: Substring {
    var text = self.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
