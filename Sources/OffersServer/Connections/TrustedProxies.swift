import HTTPTypes
import OffersCore
import OffersPlatform

/// The networks of proxies in front of the server, whose `X-Forwarded-For` names the client.
///
/// No network is trusted by itself, not even loopback: any program of the machine can connect from
/// there.
package struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]

  /// No proxies.
  package init() { ranges = [] }

  /// - Parameter networks: networks in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`, or single
  ///   addresses.
  /// - Throws: `OffersError` with `invalidRequest` for a text that is no network, for a network of
  ///   all addresses, and for an IPv4 network that is mapped to IPv6.
  package init(_ networks: [String]) throws {
    ranges = try networks.map { text in
      guard let range = AddressRange(text) else {
        throw OffersError(
          .invalidRequest, "“\(text.prefix(80))” is not a network.",
          hint: "Give an address, or a network such as 10.0.0.0/8 or fd00::/8.")
      }
      guard range.bitCount > 0 else {
        throw OffersError(
          .invalidRequest, "\(text) has all addresses: any client could claim any address.",
          hint: "Give the address of the proxy.")
      }
      guard range.first.isIPv4 || range.bitCount < 96 || range.first.value >> 32 != 0xFFFF else {
        throw OffersError(
          .invalidRequest, "\(text) is an IPv4 network that is mapped to IPv6.",
          hint: "Give it as an IPv4 network, such as 10.0.0.0/8.")
      }
      return range
    }
  }

  func contains(_ peer: Peer) -> Bool {
    ranges.contains { $0.contains(peer.address) }
  }

  private static let forwardedFor = HTTPField.Name("X-Forwarded-For")

  /// The client of a request: the rightmost address of `X-Forwarded-For` that is no trusted proxy.
  /// The field is ignored unless the other end of the connection is a trusted proxy. Whatever stands
  /// to the left of the client was sent by the client, and may be forged.
  ///
  /// - Parameters:
  ///   - fields: the fields of the request.
  ///   - peer: the other end of the connection.
  func client(of fields: HTTPFields, from peer: Peer) -> Peer {
    guard !ranges.isEmpty, contains(peer), let name = Self.forwardedFor else { return peer }
    var client = peer
    let entries = fields[values: name].flatMap { $0.split(scalar: ",") }
    for entry in entries.reversed() {
      // A text that is no address was not written by a proxy that can be understood; the last
      // address that could be is the client's.
      guard let named = Peer(String(entry.trimmingSpaces)) else { break }
      client = named
      if !contains(named) { break }
    }
    return client
  }
}
