import OffersPlatform

/// Names and addresses of this machine that no other machine can reach.
enum Loopback {
  /// Whether a host is `localhost`, `::1`, or an address in 127.0.0.0/8.
  static func isHost(_ host: some StringProtocol) -> Bool {
    NetworkAddress(String(host)).map(contains) ?? (host.lowercased() == "localhost")
  }

  /// Whether an address is `::1` or in 127.0.0.0/8.
  static func contains(_ address: NetworkAddress) -> Bool {
    address.isIPv4 ? address.value >> 24 == 127 : address.value == 1
  }

  /// Whether the host of an authority (a host with or without a port) is a loopback host.
  static func isAuthority(_ authority: String) -> Bool {
    if authority.first == "[", let end = authority.lastIndex(of: "]") {
      return isHost(authority[..<end].dropFirst()) && isPort(authority[end...].dropFirst())
    }
    // An address of version 6 without brackets has several colons and no port.
    guard let colon = authority.firstIndex(of: ":"), colon == authority.lastIndex(of: ":") else {
      return isHost(authority)
    }
    return isHost(authority[..<colon]) && isPort(authority[colon...])
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.first == ":" && text.dropFirst().utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }
}
