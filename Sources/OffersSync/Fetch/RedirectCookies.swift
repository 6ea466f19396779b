import Foundation
import OffersCore

/// The cookies that the redirects of one fetch set (RFC 6265). They end with the fetch.
///
/// Each goes back to the host that set it only, or, if it names a domain, to the hosts of that domain; a cookie
/// with `Secure` by https only. Bounded by `limit` cookies of at most `limitBytes` each.
struct RedirectCookies {
  private struct Cookie {
    let name: String
    let value: String
    let domain: String
    /// Whether hosts below `domain` receive the cookie, too.
    let hasSubdomains: Bool
    let path: String
    let isSecure: Bool
  }

  private var cookies: [Cookie] = []

  private static let limit = 30
  private static let limitBytes = 4096

  var isEmpty: Bool { cookies.isEmpty }

  /// Takes the cookies of a response from an address.
  mutating func take(_ response: TransportResponse, from address: String, now: Date) {
    guard let url = HTTPAddress(address)?.url, let host = url.host?.lowercased() else { return }
    for field in response.headers["set-cookie"].prefix(Self.limit) {
      guard field.utf8.count <= Self.limitBytes,
        field.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
      else { continue }
      let parts = field.split(scalar: ";", omittingEmptySubsequences: false).map(Self.pair)
      guard let (name, value) = parts.first, !name.isEmpty else { continue }
      var domain = host
      var hasSubdomains = false
      var path = Self.folder(of: url.path)
      var isSecure = false
      var isOver = false
      var age: Int?
      for (name, value) in parts.dropFirst() {
        switch name.lowercased() {
        case "domain" where !value.isEmpty:
          domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).lowercased()
          hasSubdomains = true
        case "path" where value.hasPrefix("/"): path = value
        case "secure": isSecure = true
        case "max-age": age = Int(value)
        case "expires": isOver = HTTPDate.parse(value).map { $0 <= now } ?? false
        default: break
        }
      }
      // A domain of one label, such as com, would be that of many owners.
      guard domain == host || Self.isHost(host, in: domain) && domain.contains(".") else {
        continue
      }
      cookies.removeAll { $0.name == name && $0.domain == domain && $0.path == path }
      guard age.map({ $0 > 0 }) ?? !isOver, cookies.count < Self.limit else { continue }
      cookies.append(
        Cookie(
          name: name, value: value, domain: domain, hasSubdomains: hasSubdomains, path: path,
          isSecure: isSecure))
    }
  }

  /// The value of the header `Cookie` of a request; nil if no cookie is for its address.
  func header(for address: String) -> String? {
    guard let url = HTTPAddress(address)?.url, let host = url.host?.lowercased() else { return nil }
    let path = url.path.isEmpty ? "/" : url.path
    let sent = cookies.filter { cookie in
      (cookie.domain == host || cookie.hasSubdomains && Self.isHost(host, in: cookie.domain))
        && (!cookie.isSecure || url.scheme == "https")
        && (path == cookie.path
          || path.hasPrefix(cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/"))
    }
    if sent.isEmpty { return nil }
    let pairs = sent.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
    return pairs.joined(separator: "; ")
  }

  private static func pair(_ part: Substring) -> (name: String, value: String) {
    let equals = part.firstIndex(of: "=")
    let value = equals.map { part[part.index(after: $0)...] } ?? ""
    return (
      part[..<(equals ?? part.endIndex)].trimmingCharacters(in: .whitespaces),
      value.trimmingCharacters(in: .whitespaces)
    )
  }

  private static func isHost(_ host: String, in domain: String) -> Bool {
    host.hasSuffix("." + domain) && HostResolver.literal(host) == nil
  }

  /// The default path of a cookie: that of the folder of the address.
  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
