import OffersPlatform

/// A host with an optional port, as in `example.com:8080`, `[::1]:8080` or `::1`.
package struct HostAndPort: Hashable, Sendable {
  /// A name or an IPv4 address in lower case without a trailing dot, or an IPv6 address without
  /// brackets.
  package let host: String
  /// The port, 1 to 65535; nil when absent or empty, as in `example.com:`.
  package let port: Int?

  /// Parses a host with an optional port.
  ///
  /// - Returns: nil for an empty host, a name with characters besides ASCII letters, digits,
  ///   `-`, `.` and `_`, an invalid IPv6 address, or a port that is not a number in range.
  package init?(_ text: String) {
    var host = text[...]
    var port: Substring?
    let isAddress: Bool
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[..<end].dropFirst()
      let rest = text[end...].dropFirst()
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      port = rest.isEmpty ? nil : rest.dropFirst()
      isAddress = true
    } else if text.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 {
      isAddress = true
    } else if let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      port = text[colon...].dropFirst()
      isAddress = false
    } else {
      isAddress = false
    }
    if isAddress {
      guard let address = NetworkAddress(String(host)), !address.isIPv4 else { return nil }
      self.host = address.text
    } else {
      if host.hasSuffix(".") { host = host.dropLast() }
      let isName = host.utf8.allSatisfy {
        ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || "-._".utf8.contains($0)
      }
      guard isName, !host.isEmpty else { return nil }
      self.host = host.lowercased()
    }
    guard let port, !port.isEmpty else {
      self.port = nil
      return
    }
    guard let number = DecimalNumber.parse(port), (1...65_535).contains(number) else { return nil }
    self.port = number
  }
}
