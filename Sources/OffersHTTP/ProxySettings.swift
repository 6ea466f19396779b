import Foundation
import OffersCore
import OffersPlatform
import OffersSync

/// A proxy for HTTP or SOCKS.
struct Proxy: Hashable, Sendable {
  /// Such as `http://user:password@host:3128`, `socks5h://host` or `host:3128`, as libcurl reads it. It may have
  /// a password, so it is shown nowhere. https://curl.se/libcurl/c/CURLOPT_PROXY.html
  let text: String
  private let scheme: String

  private static let schemes = [
    "http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h",
  ]

  /// - Throws: `OffersError` with `invalidRequest` for another kind of proxy, and for a text with white space or
  ///   control characters. The error names the variable and shows nothing of the text.
  init(_ text: String, variable: String) throws {
    self.text = text
    scheme = text.firstRange(of: "://").map { text[..<$0.lowerBound].lowercased() } ?? "http"
    guard Self.schemes.contains(scheme), text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw OffersError(
        .invalidRequest,
        "The variable \(variable) does not name a proxy for HTTP or SOCKS.",
        hint: Hint(
          "Set it to an address such as http://proxy.example:3128, or unset it.",
          command: "unset \(variable)"))
    }
  }

  /// Whether the connection to the proxy uses TLS.
  var isEncrypted: Bool { scheme == "https" }

  /// Whether the proxy resolves the names of servers, so that their addresses are not known here.
  var resolvesNames: Bool { !["socks", "socks4", "socks5"].contains(scheme) }
}

/// The proxies that the environment configures.
///
/// The variables are `https_proxy`, `http_proxy`, `all_proxy` as the fallback of both, and `no_proxy`, as in curl.
/// An upper-case name is used when the lower-case one is unset or empty. `HTTP_PROXY` is ignored: in a CGI program,
/// any client can set it by a `Proxy` header (CVE-2016-5385).
///
/// The proxy is chosen here and not by libcurl, because the address of a server is checked before a connection, and
/// that of a proxy is not: a proxy is often in a private network.
struct ProxySettings: Hashable, Sendable {
  private let http: Proxy?
  private let https: Proxy?
  /// The entries of `no_proxy`: `example.com`, `.example.com` or `*.example.com` for a host and its subdomains, an
  /// address, a range such as `10.0.0.0/8`, or `*` for all hosts.
  private let exceptions: [String]

  /// - Parameter environment: returns the value of an environment variable; nil if it is not set.
  /// - Throws: `OffersError` with `invalidRequest` for a variable that does not name a proxy,
  ///   if it is the one in effect for http or https. Nothing is checked if `no_proxy` has `*`.
  init(environment: (String) -> String?) throws {
    func find(_ names: String...) -> (name: String, value: String)? {
      for name in names {
        let value = environment(name)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        if !value.isEmpty { return (name, value) }
      }
      return nil
    }
    func proxy(_ variable: (name: String, value: String)?) throws -> Proxy? {
      try variable.map { try Proxy($0.value, variable: $0.name) }
    }
    let list = find("no_proxy", "NO_PROXY")?.value.lowercased() ?? ""
    exceptions = list.split { $0 == "," || $0.isWhitespace }.map(String.init)
    if exceptions.contains("*") {
      (http, https) = (nil, nil)
      return
    }
    http = try proxy(find("http_proxy", "all_proxy", "ALL_PROXY"))
    https = try proxy(find("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"))
  }

  /// The proxy for an http or https URL; nil for a direct connection, as to loopback hosts and
  /// those in `no_proxy`.
  func proxy(for url: URL) -> Proxy? {
    let scheme = url.scheme?.lowercased()
    guard let proxy = scheme == "https" ? https : scheme == "http" ? http : nil,
      var host = url.host()?.lowercased(), !host.isEmpty
    else { return nil }
    if host.hasSuffix(".") { host.removeLast() }
    let address = HostResolver.literal(host)?.unmapped
    // Subdomains of localhost are loopback, too (RFC 6761, section 6.3).
    let isOwn = host == "localhost" || host.hasSuffix(".localhost") || address?.isLoopback == true
    return isOwn || isException(host, address) ? nil : proxy
  }

  private func isException(_ host: String, _ address: NetworkAddress?) -> Bool {
    exceptions.contains { entry in
      if let address { return AddressRange(entry)?.contains(address) ?? false }
      let domain = entry.drop { $0 == "*" || $0 == "." }
      return !domain.isEmpty && (host == domain || host.hasSuffix("." + domain))
    }
  }
}
