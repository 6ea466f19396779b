import HTTPTypes
import Hummingbird
import OffersCore
import OffersPlatform

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

/// The host names that the server answers to. A page of another site whose name resolves to this
/// machine (DNS rebinding) sends requests with that other name, which are refused.
///
/// Ports do not count, unless the operator names one: a proxy, a tunnel or a container may listen on another port
/// than the server, and a rebound name is refused with each.
struct AllowedHosts: Sendable {
  /// The names that are accepted with any port.
  private let names: Set<String>
  /// The names that the operator gave with a port.
  private let authorities: Set<Authority>
  private let isEverywhere: Bool

  init(_ address: ServerAddress) {
    let given = address.allowedHosts.compactMap { Authority.named($0) }
    var own = [address.host]
    if address.isEverywhere, let name = address.localName { own.append(name) }
    names = Set(
      own.compactMap { Authority.named($0)?.host } + given.filter { $0.port == nil }.map(\.host))
    authorities = Set(given.filter { $0.port != nil })
    isEverywhere = address.isEverywhere
  }

  /// Whether the value of a `Host` field names this server.
  func contains(_ authority: String) -> Bool {
    guard let asked = Authority(authority) else { return false }
    // An IP address is safe to accept, because DNS rebinding requires a name.
    return asked.isLoopback || names.contains(asked.host) || authorities.contains(asked)
      || isEverywhere && asked.isAddress
  }
}

/// The host and the port of a `Host` field, of an origin or of an option, in the form in which they are compared.
struct Authority: Hashable {
  /// A name in lowercase without a dot at its end, or an address in its canonical form without brackets.
  let host: String
  let port: Int?

  /// Parses a host with or without a port, such as `Offers.local:8443` or `[2001:db8::5]`.
  ///
  /// - Returns: nil for a text without a host or with an empty label at its end, with a port that is none, or with something else in brackets than an
  ///   IPv6 address.
  init?(_ text: some StringProtocol) {
    let text = text.lowercased()
    var name = text[...]
    var rest = text[text.endIndex...]
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]"),
        let address = NetworkAddress(String(text[..<end].dropFirst())), !address.isIPv4
      else { return nil }
      host = address.text
      rest = text[end...].dropFirst()
    } else {
      if let colon = text.firstIndex(of: ":") {
        (name, rest) = (text[..<colon], text[colon...])
      }
      if name.last == "." { name = name.dropLast() }
      if name.isEmpty || name.last == "." { return nil }
      host = String(name)
    }
    if rest.isEmpty {
      port = nil
    } else {
      let digits = rest.dropFirst()
      guard rest.first == ":", digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
        let number = Int(digits), number <= 65_535
      else { return nil }
      port = number
    }
  }

  /// Parses a name that an operator gives, which may be an IPv6 address without brackets.
  static func named(_ text: some StringProtocol) -> Authority? { Authority(bracketed(text)) }

  /// A name as a `Host` field has it: an IPv6 address in brackets.
  static func bracketed(_ name: some StringProtocol) -> String {
    NetworkAddress(String(name))?.isIPv4 == false ? "[\(name)]" : String(name)
  }

  var isAddress: Bool { NetworkAddress(host) != nil }

  /// Whether the host is one that no other machine can reach.
  var isLoopback: Bool { Loopback.isHost(host) }
}

extension RequestBody {
  /// Reads the whole body of a request.
  ///
  /// - Throws: `Problem` with status 413 for a body over `RequestValidation.bodyBytes`, with 400 for one
  ///   that the HTTP parser rejects. Both close the connection.
  static func read(_ request: Request) async throws -> ByteBuffer {
    var whole = ByteBuffer()
    do {
      for try await part in request.body {
        guard whole.readableBytes + part.readableBytes <= RequestValidation.bodyBytes else {
          throw RequestValidation.closing(RequestValidation.tooLarge)
        }
        whole.writeImmutableBuffer(part)
      }
    } catch let error as Problem {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw RequestValidation.closing(Problem(.badRequest, "The body is not well-formed."))
    }
    return whole
  }
}

extension Request {
  /// The bearer token that the request shows (RFC 6750, section 2.1); nil for a request without it.
  var bearerToken: String? {
    guard let field = headers[.authorization] else { return nil }
    let parts = field.split(scalar: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1].trimmingSpaces)
  }
}
