import Foundation

/// The scheme, host and port of a URL (RFC 6454): what one server answers for.
struct HTTPOrigin: Hashable, Sendable {
  let scheme: String
  let host: String
  let port: Int

  init(_ url: URL) {
    scheme = url.scheme?.lowercased() ?? ""
    host = url.host(percentEncoded: false)?.lowercased() ?? ""
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }

  /// Nil for a text that is no URL.
  init?(_ text: String) {
    guard let url = URL(string: text) else { return nil }
    self.init(url)
  }

  var text: String { "\(scheme)://\(host):\(port)" }
}
