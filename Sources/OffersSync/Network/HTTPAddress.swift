import Foundation
import OffersCore
import OffersPlatform

/// An http or https URL whose host can be read in one way only.
package struct HTTPAddress: Hashable, Sendable {
  /// The URL with its scheme and host in lower case, and its host in ASCII.
  package let url: URL
  /// The host as the URL spells it, without the brackets of an IPv6 address.
  package let host: String

  /// Returns nil for a text that is no such URL: one without a host, with percent-encoding or a zone
  /// in the host, with an empty label in it, or with a port past 65535.
  package init?(_ text: String) {
    guard var parts = URLComponents(string: text), let host = parts.encodedHost,
      !host.isEmpty, !host.contains("%"), (0...Int(UInt16.max)).contains(parts.port ?? 0)
    else { return nil }
    parts.encodedHost = host.lowercased()
    parts.scheme = parts.scheme?.lowercased()
    guard let text = parts.url?.absoluteString, let url = URL(string: text),
      let scheme = url.scheme, scheme == "http" || scheme == "https",
      let name = url.host(percentEncoded: false), !name.isEmpty,
      name == url.host(percentEncoded: true),
      // A proxy may drop several dots at the end, and reach an address that was not checked.
      !name.utf8.starts(with: ".".utf8), !name.contains("..")
    else { return nil }
    self.url = url
    self.host = name
  }

  /// The address if the host is a literal of any kind; nil for a name. Asks nobody.
  package var literal: NetworkAddress? { HostAddresses.literal(host) }

  /// Whether the text of the host already tells that it is not on the public internet.
  package var isPrivate: Bool { literal.map { !$0.isPublic } ?? HostName(host).isPrivate }
}
