import Foundation
import OffersCore
import OffersSync

/// A proxy for HTTP or SOCKS.
struct Proxy: Hashable, Sendable {
  /// How a proxy is spoken to.
  enum Kind: String, Hashable, Sendable {
    case http, https, socks4, socks4a, socks5, socks5h

    /// The port of an address with a scheme and without a port.
    fileprivate var defaultPort: Int {
      switch self {
      case .http: 80
      case .https: 443
      default: 1080
      }
    }
  }

  let kind: Kind
  /// A name in lower case, or an address without brackets.
  let host: String
  let port: Int
  /// The user name; nil when absent or empty. There may be a password nevertheless.
  let user: String?
  let password: String?

  init(
    _ kind: Kind = .http, host: String, port: Int, user: String? = nil, password: String? = nil
  ) {
    self.kind = kind
    self.host = host
    self.port = port
    self.user = user
    self.password = password
  }

  /// The URL without the user and the password.
  var url: String {
    "\(kind.rawValue)://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
  }

  /// Whether the proxy resolves the names of servers, so that their addresses are not known here.
  var resolvesNames: Bool { kind != .socks4 && kind != .socks5 }

  /// Parses `http://user:password@host:3128`, `socks5h://host:1080` or `host:3128`.
  ///
  /// The default port is 80 for `http`, 443 for `https`, 1080 for SOCKS, and 3128 without a scheme.
  /// User and password may be percent-encoded; anything after the port is ignored.
  ///
  /// - Parameters:
  ///   - text: the value of the environment variable.
  ///   - variable: the name of the environment variable, for the error. The error shows nothing of
  ///     the text except a known scheme, because the text may contain a password.
  /// - Throws: `OffersError` with `invalidRequest` for another kind of proxy or an invalid text.
  init(parsing text: String, variable: String) throws {
    var rest = text[...]
    var port = 3128
    var kind = Kind.http
    if let mark = text.firstRange(of: "://") {
      let scheme = text[..<mark.lowerBound].lowercased()
      guard let named = Kind(rawValue: scheme == "socks" ? "socks4" : scheme) else {
        throw Self.malformed(variable)
      }
      kind = named
      rest = text[mark.upperBound...]
      port = kind.defaultPort
    }
    var user: String?
    var password: String?
    // The last @ ends the user and password: passwords often contain an unencoded @ or /.
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(scalar: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = try Self.credential(parts.first, variable)
      password = try Self.credential(parts.count == 2 ? parts[1] : nil, variable)
      rest = rest[rest.index(after: at)...]
    }
    guard let place = HostAndPort(String(rest.prefix { !"/?#".contains($0) })) else {
      throw Self.malformed(variable)
    }
    if let named = place.port { port = named }
    self.init(kind, host: place.host, port: port, user: user, password: password)
  }

  private static func credential(_ text: Substring?, _ variable: String) throws -> String? {
    guard let text, !text.isEmpty else { return nil }
    // An invalid percent-encoding is taken literally: the % was not encoded.
    let decoded = text.removingPercentEncoding ?? String(text)
    // Control characters are not allowed in credentials (RFC 7617, section 2).
    if decoded.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw malformed(variable) }
    return decoded
  }

  private static func malformed(_ variable: String) -> OffersError {
    OffersError(
      .invalidRequest,
      "The variable \(variable) does not name a proxy for HTTP or SOCKS.",
      advice: Advice(
        "Set it to an address such as http://proxy.example:3128, or unset it",
        .unsetVariable(name: variable)))
  }
}
