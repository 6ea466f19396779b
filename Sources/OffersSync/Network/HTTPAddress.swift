import Foundation
import OffersCore
import OffersPlatform

/// An http or https URL whose host is unambiguous: the initializer lists the forms it refuses.
package struct HTTPAddress: Hashable, Sendable {
  /// The URL with its scheme and host in lower case, and its host in ASCII.
  package let url: URL
  /// The host of `url`, without the brackets of an IPv6 address.
  package let host: String

  /// Returns nil for a text that is not an http or https URL, has no host, has percent-encoding, a
  /// zone or an empty label in the host (a final dot is allowed), or has a port past 65535.
  package init?(_ text: String) {
    guard var parts = URLComponents(string: AddressEncoding.encoded(text)),
      let host = parts.encodedHost,
      !host.isEmpty, !host.contains("%"), (0...Int(UInt16.max)).contains(parts.port ?? 0)
    else { return nil }
    parts.encodedHost = host.lowercased()
    parts.scheme = parts.scheme?.lowercased()
    guard let text = parts.url?.absoluteString, let url = URL(string: text),
      let scheme = url.scheme, scheme == "http" || scheme == "https",
      let name = url.host(percentEncoded: false), !name.isEmpty,
      name == url.host(percentEncoded: true),
      // A proxy may drop several dots at the end of an address, which was checked as a name.
      !name.utf8.starts(with: ".".utf8), !name.contains("..")
    else { return nil }
    self.url = url
    self.host = name
  }

  /// The IP address if the host is a literal in any notation; nil for a name. Sends no query.
  package var literal: NetworkAddress? { HostAddresses.literal(host) }

  /// Whether the text of the host alone shows that it is not on the public internet: a literal of a
  /// private address, or a name that is reserved for private networks.
  package var isPrivate: Bool { literal.map { !$0.isPublic } ?? HostName(host).isPrivate }
}
