import HTTPTypes
import NIOCore
import OffersCore
import OffersPlatform

/// The IP address of a client: of the other end of a connection, or the one that a trusted proxy
/// names.
struct Peer: Hashable, Sendable {
  /// The address. An IPv4 address that is mapped to IPv6 (RFC 4291, section 2.5.5.2) is an IPv4 one.
  let address: NetworkAddress

  static let loopback = Peer(NetworkAddress(ipv4: 0x7F00_0001))

  init(_ address: NetworkAddress) {
    let isMapped = !address.isIPv4 && address.value >> 32 == 0xFFFF
    self.address =
      isMapped ? NetworkAddress(ipv4: UInt32(truncatingIfNeeded: address.value)) : address
  }

  /// - Returns: nil for a text that is no IP address in its standard form.
  init?(_ text: String) {
    guard let address = NetworkAddress(text) else { return nil }
    self.init(address)
  }

  /// - Returns: nil for an address that is not an IP address, such as a Unix domain socket.
  init?(_ address: SocketAddress) {
    switch address {
    case .v4(let address):
      self.init(NetworkAddress(ipv4: UInt32(bigEndian: address.address.sin_addr.s_addr)))
    case .v6(let address):
      var number = address.address.sin6_addr
      let value = withUnsafeBytes(of: &number) {
        UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self))
      }
      self.init(NetworkAddress(ipv6: value))
    case .unixDomainSocket:
      return nil
    }
  }

  /// Whether the address is loopback: 127.0.0.0/8 or ::1.
  var isLoopback: Bool { Loopback.contains(address) }

  /// The address in its canonical form, such as `192.0.2.1`.
  var text: String { address.text }

  /// The network that one provider gives away as a whole: the first 24 bits of an IPv4 address, or the first 48
  /// of an IPv6 address. Whoever has many `network`s has them in few of these.
  var wideNetwork: String {
    if address.isIPv4 { return NetworkAddress(ipv4: UInt32(address.value >> 8) << 8).text + "/24" }
    return NetworkAddress(ipv6: (address.value >> 80) << 80).text + "/48"
  }

  /// The network that one client can choose its addresses from: an IPv4 address, or the first 64
  /// bits of an IPv6 address, such as `2001:db8::/64`.
  var network: String {
    if address.isIPv4 { return text }
    return NetworkAddress(ipv6: (address.value >> 64) << 64).text + "/64"
  }
}

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
