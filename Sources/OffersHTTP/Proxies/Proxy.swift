import Foundation
import OffersCore
import OffersSync

/// An HTTP proxy.
struct Proxy: Hashable, Sendable {
  /// A name in lower case, or an address without brackets.
  let host: String
  let port: Int
  /// The user name; nil when absent or empty. There may be a password nevertheless.
  let user: String?
  let password: String?

  init(host: String, port: Int, user: String? = nil, password: String? = nil) {
    self.host = host
    self.port = port
    self.user = user
    self.password = password
  }

  /// Parses `http://user:password@host:3128` or `host:3128`.
  ///
  /// The default port is 80 with a scheme and 3128 without. User and password may be
  /// percent-encoded; anything after the port is ignored.
  ///
  /// - Parameters:
  ///   - text: the value of the environment variable.
  ///   - variable: the name of the environment variable, for the error. The error shows nothing of
  ///     the text except a known scheme, because the text may contain a password.
  /// - Throws: `OffersError` with `invalidRequest` for another kind of proxy or an invalid text.
  init(parsing text: String, variable: String) throws {
    var rest = text[...]
    var port = 3128
    if let mark = text.firstRange(of: "://") {
      let scheme = text[..<mark.lowerBound].lowercased()
      guard scheme == "http" else { throw Self.unsupported(scheme, variable) }
      rest = text[mark.upperBound...]
      port = 80
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
    self.init(host: place.host, port: port, user: user, password: password)
  }

  private static func credential(_ text: Substring?, _ variable: String) throws -> String? {
    guard let text, !text.isEmpty else { return nil }
    // An invalid percent-encoding is taken literally: the % was not encoded.
    let decoded = text.removingPercentEncoding ?? String(text)
    // Control characters are not allowed in credentials (RFC 7617, section 2).
    if decoded.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw malformed(variable) }
    return decoded
  }

  private static func unsupported(_ scheme: String, _ variable: String) -> OffersError {
    let known = ["https", "socks", "socks4", "socks4a", "socks5", "socks5h"]
    let what = known.contains(scheme) ? "\(scheme) proxy" : "proxy of another kind"
    return OffersError(
      .invalidRequest, "The variable \(variable) names a \(what); only HTTP proxies are supported.",
      advice: advice(variable))
  }

  private static func malformed(_ variable: String) -> OffersError {
    OffersError(
      .invalidRequest,
      "The variable \(variable) does not name a proxy; only HTTP proxies are supported.",
      advice: advice(variable))
  }

  private static func advice(_ variable: String) -> Advice {
    Advice(
      "Set it to an address such as http://proxy.example:3128, or unset it",
      .unsetVariable(name: variable))
  }
}
