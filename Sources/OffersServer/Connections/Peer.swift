import NIOCore

/// The machine at the other end of a connection, by its address.
struct Peer: Hashable, Sendable {
  /// In version 6; those of version 4 are mapped into it (RFC 4291, section 2.5.5.2).
  private let bytes: [UInt8]

  /// Nil for an address that is none of the internet's.
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

  /// Whether it is this machine: 127.0.0.0/8 or ::1.
  var isLoopback: Bool {
    bytes.starts(with: Self.mapped + [127])
      || bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }
}
