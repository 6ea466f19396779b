import Dispatch
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
  package var literal: NetworkAddress? { HostResolver.literal(host) }

  /// Whether the text of the host alone shows that it is not on the public internet: a literal of a
  /// private address, or a name that is reserved for private networks.
  package var isPrivate: Bool { literal.map { !$0.isPublic } ?? isLocalName }

  /// Whether the host is a name that can only mean this machine or a host in its local network: it has one
  /// label, or a suffix that is reserved for that (RFC 6761, RFC 6762, RFC 8375 and, for `internal`, the
  /// resolution of ICANN of 2024-07-29). A final dot is ignored.
  private var isLocalName: Bool {
    let labels = host.split(scalar: ".")
    return labels.count < 2 || Self.localEnds.contains { labels.suffix($0.count).elementsEqual($0) }
  }

  private static let localEnds: [[Substring]] = [
    ["localhost"], ["local"], ["internal"], ["home", "arpa"],
  ]
}

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
  package init?(_ text: String) {
    guard let url = URL(printed: text) else { return nil }
    self.init(url)
  }

  /// The host, with its port if that is not the scheme's default: a server counts the requests by both
  /// schemes together.
  package var hostAndPort: String {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return port == (scheme == "https" ? 443 : 80) ? name : "\(name):\(port)"
  }
}

/// Resolves host names with the system's resolver.
package enum HostResolver {
  /// The timeout for resolving a name, in seconds.
  package static let lookUpSeconds = 20.0

  /// Resolves a host.
  ///
  /// An address literal yields its address, also in decimal, octal and hexadecimal notation
  /// (`2852039166`, `0x7f.1`), and in brackets for IPv6. The resolver blocks a Dispatch thread, not
  /// one of the concurrency pool; a cancelled task does not wait for it.
  ///
  /// - Parameter host: a host name or an address literal.
  /// - Returns: at least one address, without duplicates, in the order of preference (RFC 6724).
  /// - Throws: `TransportFailure` when no address is found; `CancellationError`.
  package static func resolve(_ host: String) async throws -> [NetworkAddress] {
    let (results, sender) = AsyncStream.makeStream(
      of: Result<[NetworkAddress], AddressLookup.Failure>.self)
    DispatchQueue.global().async {
      do throws(AddressLookup.Failure) {
        sender.yield(.success(try AddressLookup.find(host)))
      } catch {
        sender.yield(.failure(error))
      }
      sender.finish()
    }
    for await result in results {
      do throws(AddressLookup.Failure) {
        return try result.get()
      } catch {
        throw failure(host, error)
      }
    }
    throw CancellationError()
  }

  /// The address of a literal in any notation that `resolve` accepts, with or without a final dot;
  /// nil for a name. Sends no query.
  package static func literal(_ host: String) -> NetworkAddress? {
    // With a final dot `getaddrinfo` takes the text for a name, but a proxy may take it for an
    // address.
    let bare = host.hasSuffix(".") ? String(host.dropLast()) : host
    // The error of a text that is no literal is not needed.
    return try? AddressLookup.find(bare, isLiteral: true).first
  }

  /// The error of a lookup that did not end in time.
  package static func late(_ host: String) -> TransportFailure {
    TransportFailure(
      .noNetwork, message: "The host name \(host) could not be resolved in time.", hint: hint)
  }

  private static let hint = "Nothing was changed. Check the network, then sync again."

  /// The error of a failed lookup.
  ///
  /// - Parameter hasWayOut: whether the machine has a route to the internet. Without one, some resolvers
  ///   say of every name that it does not exist.
  static func failure(
    _ host: String, _ failure: AddressLookup.Failure,
    hasWayOut: Bool = InterfaceAddresses.haveWayOut
  ) -> TransportFailure {
    if failure.isOfResolver {
      return TransportFailure(
        .noNetwork, message: "The host \(host) could not be looked up.", hint: hint,
        cause: failure.text)
    }
    return TransportFailure(
      hasWayOut ? .unknownHost : .noNetwork, message: "The host \(host) could not be found.",
      hint: "Nothing was changed. Check the address and the network.", cause: failure.text)
  }
}

extension NetworkAddress {
  /// Whether the address is globally reachable.
  ///
  /// False for loopback, private networks, documentation, benchmarks and multicast, and for all
  /// other addresses that IANA's special-purpose address registries (RFC 6890) contain, but do not
  /// list as globally reachable. Of IPv6 only global unicast addresses (RFC 3587) can be reachable.
  /// An IPv6 address that embeds an IPv4 address (IPv4-mapped, NAT64, 6to4) counts as the latter.
  package var isPublic: Bool {
    if let inner = embeddedIPv4 { return inner.isPublic }
    if !isIPv4, !Self.globalUnicast.contains(self) { return false }
    let isSpecial = (isIPv4 ? Self.specialIPv4 : Self.specialIPv6).contains { $0.contains(self) }
    return !isSpecial || Self.reachable.contains { $0.contains(self) }
  }

  /// Whether the address is a loopback address, `127.0.0.0/8` or `::1`, also if it is IPv4-mapped.
  package var isLoopback: Bool {
    Self.loopback.contains { $0.contains(unmapped) }
  }

  /// The IPv4 address of an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`); otherwise the address
  /// itself.
  package var unmapped: NetworkAddress {
    Self.mapped.contains(self) ? NetworkAddress(ipv4: UInt32(truncatingIfNeeded: value)) : self
  }

  /// The IPv4 address that this IPv6 address embeds (IPv4-mapped, NAT64, 6to4), to which packets
  /// may be delivered; nil if there is none.
  private var embeddedIPv4: NetworkAddress? {
    if Self.endingInIPv4.contains(where: { $0.contains(self) }) {
      return NetworkAddress(ipv4: UInt32(truncatingIfNeeded: value))
    }
    return Self.sixToFour.contains(self)
      ? NetworkAddress(ipv4: UInt32(truncatingIfNeeded: value >> 80)) : nil
  }

  private static let loopback = [
    AddressRange(ipv4: 127, bits: 8), AddressRange(ipv6: 0, 0, 0, 0, 0, 0, 0, 1, bits: 128),
  ]

  /// The IPv4-mapped addresses, `::ffff:0:0/96` (RFC 4291, section 2.5.5.2).
  private static let mapped = AddressRange(ipv6: 0, 0, 0, 0, 0, 0xffff, bits: 96)

  private static let endingInIPv4 = [
    mapped,
    // The well-known prefix of NAT64, `64:ff9b::/96` (RFC 6052).
    AddressRange(ipv6: 0x64, 0xff9b, bits: 96),
  ]

  /// The 6to4 addresses, `2002::/16` (RFC 3056), with the IPv4 address after these 16 bits.
  private static let sixToFour = AddressRange(ipv6: 0x2002, bits: 16)

  private static let specialIPv4 = [
    AddressRange(ipv4: 0, bits: 8),  // this network (RFC 791)
    AddressRange(ipv4: 10, bits: 8),  // private (RFC 1918)
    AddressRange(ipv4: 100, 64, bits: 10),  // carrier-grade NAT (RFC 6598)
    AddressRange(ipv4: 127, bits: 8),  // loopback (RFC 1122)
    AddressRange(ipv4: 169, 254, bits: 16),  // link-local (RFC 3927)
    AddressRange(ipv4: 172, 16, bits: 12),  // private (RFC 1918)
    AddressRange(ipv4: 192, 0, 0, bits: 24),  // protocol assignments (RFC 6890)
    AddressRange(ipv4: 192, 0, 2, bits: 24),  // documentation (RFC 5737)
    AddressRange(ipv4: 192, 88, 99, bits: 24),  // 6to4 relays (RFC 7526)
    AddressRange(ipv4: 192, 168, bits: 16),  // private (RFC 1918)
    AddressRange(ipv4: 198, 18, bits: 15),  // benchmarks (RFC 2544)
    AddressRange(ipv4: 198, 51, 100, bits: 24),  // documentation (RFC 5737)
    AddressRange(ipv4: 203, 0, 113, bits: 24),  // documentation (RFC 5737)
    AddressRange(ipv4: 224, bits: 4),  // multicast (RFC 5771)
    AddressRange(ipv4: 240, bits: 4),  // reserved, broadcast (RFC 1112, RFC 919)
  ]

  /// The global unicast addresses of IPv6, `2000::/3` (RFC 3587).
  private static let globalUnicast = AddressRange(ipv6: 0x2000, bits: 3)

  private static let specialIPv6 = [
    AddressRange(ipv6: 0x2001, bits: 23),  // protocols, incl. Teredo (RFC 2928, RFC 4380)
    AddressRange(ipv6: 0x2001, 0xdb8, bits: 32),  // documentation (RFC 3849)
    AddressRange(ipv6: 0x3fff, bits: 20),  // documentation (RFC 9637)
  ]

  /// The ranges within `specialIPv4` and `specialIPv6` that are globally reachable.
  private static let reachable = [
    AddressRange(ipv4: 192, 0, 0, 9, bits: 32),  // port control anycast (RFC 7723)
    AddressRange(ipv4: 192, 0, 0, 10, bits: 32),  // TURN anycast (RFC 8155)
    AddressRange(ipv6: 0x2001, 1, 0, 0, 0, 0, 0, 1, bits: 128),  // port control (RFC 7723)
    AddressRange(ipv6: 0x2001, 1, 0, 0, 0, 0, 0, 2, bits: 128),  // TURN (RFC 8155)
    AddressRange(ipv6: 0x2001, 1, 0, 0, 0, 0, 0, 3, bits: 128),  // DNS-SD (RFC 9665)
    AddressRange(ipv6: 0x2001, 3, bits: 32),  // multicast tunnels (RFC 7450)
    AddressRange(ipv6: 0x2001, 4, 0x112, bits: 48),  // AS112 (RFC 7535)
    AddressRange(ipv6: 0x2001, 0x20, bits: 28),  // ORCHIDv2 (RFC 7343)
    AddressRange(ipv6: 0x2001, 0x30, bits: 28),  // drones (RFC 9374)
  ]
}
