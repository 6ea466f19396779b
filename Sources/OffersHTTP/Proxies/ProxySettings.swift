import Foundation
import OffersCore
import OffersSync

/// The proxies that the environment configures.
///
/// The variables are `https_proxy`, `http_proxy`, `all_proxy` as the fallback of both, and
/// `no_proxy`. An upper-case name is used when the lower-case one is unset or empty. `HTTP_PROXY`
/// is ignored: in a CGI program, any client can set it by a `Proxy` header (CVE-2016-5385).
struct ProxySettings: Hashable, Sendable {
  private let http: Proxy?
  private let https: Proxy?
  private let exceptions: ProxyExceptions

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

  /// The proxy for an http or https URL; nil for a direct connection, as to loopback hosts and
  /// those in `no_proxy`.
  func proxy(for url: URL) -> Proxy? {
    let isHTTPS = url.scheme?.lowercased() == "https"
    guard isHTTPS || url.scheme?.lowercased() == "http",
      let proxy = isHTTPS ? https : http,
      var host = url.host()?.lowercased(), !host.isEmpty
    else { return nil }
    if host.hasSuffix(".") { host.removeLast() }
    let address = HostAddresses.literal(host)?.unmapped
    // Subdomains of localhost are loopback, too (RFC 6761, section 6.3).
    let isOwn = host == "localhost" || host.hasSuffix(".localhost") || address?.isLoopback == true
    let port = url.port ?? (isHTTPS ? 443 : 80)
    return isOwn || exceptions.contains(host: host, address: address, port: port) ? nil : proxy
  }
}
