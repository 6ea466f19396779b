import NIOCore
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
