import HTTPTypes
import Hummingbird
import OffersCore

/// The checks that every request passes before it is routed. They reject requests whose length a
/// proxy could interpret differently (request smuggling, RFC 9112, section 11.2), requests for an
/// unknown host, and paths that are too long or not in normal form. After a request without a clear
/// length or host, or with a body that is too large, the connection is closed.
enum RequestValidation {
  /// The maximum length of the path with the query, in bytes.
  static let targetBytes = 8192
  /// The maximum size of a body, in bytes.
  static let bodyBytes = 64 << 10

  /// The advice for a proxy that asks for another host than browsers have asked it for.
  static let proxyHint =
    "A proxy in front of it must pass on the host that browsers ask for: "
    + "“proxy_set_header Host $http_host;” in nginx, “ProxyPreserveHost On” in Apache."

  /// Checks the head of a request.
  ///
  /// - Throws: `Problem` with status 400, 413, 414, 421 or 501.
  static func check(_ request: Request, hosts: AllowedHosts) throws {
    let headers = request.headers
    guard let host = request.head.authority, !(hostName.map(headers.contains) ?? false) else {
      throw closing(Problem(.badRequest, "A request must name its host exactly once."))
    }
    if headers.contains(.transferEncoding) {
      if headers.contains(.contentLength) {
        throw closing(Problem(.badRequest, "A body must have a single length."))
      }
      guard headers[.transferEncoding]?.lowercased() == "chunked" else {
        throw closing(
          Problem(.notImplemented, "The only supported transfer encoding is chunked."))
      }
    } else if let length = headers[.contentLength] {
      guard length.utf8.count <= 18, let bytes = Int(length), bytes >= 0 else {
        throw closing(Problem(.badRequest, "A body must have a single length."))
      }
      if bytes > bodyBytes { throw closing(tooLarge) }
    }
    guard hosts.contains(host), !isForwarded(request, from: host) else {
      throw Problem(
        .misdirectedRequest, "This server does not answer to that host name.",
        hint: "Use its IP address, or start it with --allow-host and the name. \(proxyHint)")
    }
    let target = request.head.path ?? ""
    guard target.utf8.first == UInt8(ascii: "/") else {
      throw closing(
        Problem(.badRequest, "The target of a request must be a path."))
    }
    guard target.utf8.count <= targetBytes else {
      throw Problem(.uriTooLong, "The address is too long.")
    }
    // Rules that compare prefixes of paths, such as the one for `/api/`, would not match a path
    // with a doubled slash.
    if request.uri.path.contains("//") {
      throw Problem(.badRequest, "An address must not contain “//”.")
    }
    if target.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) {
      // C functions end a text at its first NUL byte.
      if target.contains("%00") {
        throw Problem(.badRequest, "An address must not contain a null character.")
      }
      try checkSegments(request.uri.path)
    }
  }

  static var tooLarge: Problem {
    Problem(
      .contentTooLarge, "A body may have at most \(bodyBytes >> 10) KiB.", code: .limitExceeded)
  }

  /// The HTTP library stores the first `Host` field as the request's authority, so one among the
  /// header fields is a second one.
  private static let hostName = HTTPField.Name("Host")

  private static let forwardedHost = HTTPField.Name("X-Forwarded-Host")

  /// Whether a proxy says that it was asked for a name of another machine, and asks for this machine itself.
  /// Without that name, the server would take everybody for a person at this machine.
  private static func isForwarded(_ request: Request, from host: String) -> Bool {
    guard Loopback.isAuthority(host), let name = forwardedHost.flatMap({ request.headers[$0] })
    else { return false }
    return !name.split(scalar: ",").allSatisfy { Loopback.isAuthority($0.trimmingSpaces) }
  }

  private static func checkSegments(_ path: String) throws {
    for segment in path.split(scalar: "/") {
      guard let text = PercentCode.decode(segment) else {
        throw Problem(.badRequest, "The address is not well-formed.")
      }
      if text == "." || text == ".." {
        throw Problem(.badRequest, "An address must not contain the segment “\(text)”.")
      }
    }
  }

  /// Adds to a problem that the connection is closed after the response.
  static func closing(_ problem: Problem) -> Problem {
    var problem = problem
    problem.headers[.connection] = "close"
    return problem
  }
}
