import OffersPlatform

/// Names and addresses of this machine that no other machine can reach.
enum Loopback {
  /// Whether a host is `localhost`, with or without a dot at its end, `::1`, or an address in 127.0.0.0/8.
  static func isHost(_ host: some StringProtocol) -> Bool {
    NetworkAddress(String(host)).map(contains)
      ?? ["localhost", "localhost."].contains(host.lowercased())
  }

  /// Whether an address is `::1` or in 127.0.0.0/8, also if that is mapped to IPv6.
  static func contains(_ address: NetworkAddress) -> Bool {
    address.isIPv4
      ? address.value >> 24 == 127 : address.value == 1 || address.value >> 24 == 0xFFFF_7F
  }

  /// Whether the host of an authority (a host with or without a port) is a loopback host.
  static func isAuthority(_ authority: some StringProtocol) -> Bool {
    Authority.named(authority)?.isLoopback ?? false
  }
}
