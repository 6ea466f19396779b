import NIOCore

/// The IP address of the other end of a connection.
struct Peer: Hashable, Sendable {
  /// The 16 bytes of an IPv6 address. An IPv4 address is mapped to one (RFC 4291, section 2.5.5.2).
  private let bytes: [UInt8]

  /// - Returns: nil for an address that is not an IP address, such as a Unix domain socket.
  init?(_ address: SocketAddress) {
    switch address {
    case .v4(let address):
      var number = address.address.sin_addr.s_addr
      bytes = Self.mapped + withUnsafeBytes(of: &number) { Array($0) }
    case .v6(let address):
      var number = address.address.sin6_addr
      bytes = withUnsafeBytes(of: &number) { Array($0) }
    case .unixDomainSocket:
      return nil
    }
  }

  private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

  /// Whether the address is loopback: 127.0.0.0/8 or ::1.
  var isLoopback: Bool {
    bytes.starts(with: Self.mapped + [127])
      || bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }
}
