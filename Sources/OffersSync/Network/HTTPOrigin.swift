import Foundation

/// The origin of an http or https URL: its scheme, host and port (RFC 6454). The scheme and the
/// host are in lower case; the port is the scheme's default if the URL has none.
package struct HTTPOrigin: Hashable, Sendable {
  package let scheme: String
  package let host: String
  package let port: Int

  package init(_ url: URL) {
    scheme = url.scheme?.lowercased() ?? ""
    host = url.host(percentEncoded: false)?.lowercased() ?? ""
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }

  /// Returns nil for a text that is not a URL.
  init?(_ text: String) {
    guard let url = URL(printed: text) else { return nil }
    self.init(url)
  }
}
