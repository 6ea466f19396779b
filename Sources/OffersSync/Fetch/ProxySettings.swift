import Foundation
import OffersCore

/// Which proxy to reach which host by, as the environment says.
///
/// Read are `https_proxy`, `http_proxy`, `all_proxy` for what these two leave open, and `no_proxy`;
/// in capitals, too, where the small ones are not set or empty. `HTTP_PROXY` is not read: in a CGI
/// program it is a header that anybody can send (CVE-2016-5385).
struct ProxySettings: Hashable, Sendable {
  private let http: Proxy?
  private let https: Proxy?
  private let exceptions: ProxyExceptions

  /// - Parameter environment: finds a variable.
  /// - Throws: `OffersError` with `invalidRequest` for a variable that counts and does not name an
  ///   http proxy.
  init(environment: (String) -> String?) throws {
    func find(_ names: String...) -> (name: String, value: String)? {
      for name in names {
        let value = environment(name)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        if !value.isEmpty { return (name, value) }
      }
      return nil
    }
    func proxy(_ variable: (name: String, value: String)?) throws -> Proxy? {
      try variable.map { try Proxy(parsing: $0.value, variable: $0.name) }
    }
    exceptions = ProxyExceptions(find("no_proxy", "NO_PROXY")?.value ?? "")
    if exceptions.isEverything {
      http = nil
      https = nil
      return
    }
    http = try proxy(find("http_proxy", "all_proxy", "ALL_PROXY"))
    https = try proxy(find("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"))
  }

  /// The proxy for a URL; nil for a direct connection, which the own machine always gets.
  func proxy(for url: URL) -> Proxy? {
    let isHTTPS = url.scheme?.lowercased() == "https"
    guard isHTTPS || url.scheme?.lowercased() == "http",
      let proxy = isHTTPS ? https : http,
      var host = url.host()?.lowercased(), !host.isEmpty
    else { return nil }
    if host.hasSuffix(".") { host.removeLast() }
    let address = HostAddresses.literal(host)?.unmapped
    // Names below localhost are the own machine, too (RFC 6761, 6.3).
    let isOwn = host == "localhost" || host.hasSuffix(".localhost") || address?.isLoopback == true
    let port = url.port ?? (isHTTPS ? 443 : 80)
    return isOwn || exceptions.contains(host: host, address: address, port: port) ? nil : proxy
  }
}
