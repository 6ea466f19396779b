/// Names and addresses of this machine that no other machine can reach.
enum Loopback {
  /// Whether a host is `localhost`, `::1`, or an address in 127.0.0.0/8.
  static func isHost(_ host: some StringProtocol) -> Bool {
    let host = host.lowercased()
    let numbers = host.split(scalar: ".", omittingEmptySubsequences: false).map(number)
    return host == "localhost" || host == "::1"
      || numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
  }

  /// A decimal number from 0 to 255 without a sign or a leading zero, which other programs read as
  /// octal; nil for any other text.
  private static func number(_ text: Substring) -> UInt8? {
    let isDecimal = text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    return isDecimal && (text.utf8.count == 1 || text.utf8.first != 0x30) ? UInt8(text) : nil
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
