import OffersPlatform

/// The host and the port of a `Host` field, of an origin or of an option, in the form in which they are compared.
struct Authority: Hashable {
  /// A name in lowercase without a dot at its end, or an address in its canonical form without brackets.
  let host: String
  /// The port; nil for the usual one of the scheme.
  let port: Int?

  /// Parses a host with or without a port, such as `Offers.local:8443` or `[2001:db8::5]`.
  ///
  /// - Returns: nil for a text without a host or with an empty label at its end, with a port that is none, or with something else in brackets than an
  ///   IPv6 address.
  init?(_ text: some StringProtocol) {
    let text = text.lowercased()
    var name = text[...]
    var rest = text[text.endIndex...]
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]"),
        let address = NetworkAddress(String(text[..<end].dropFirst())), !address.isIPv4
      else { return nil }
      host = address.text
      rest = text[end...].dropFirst()
    } else {
      if let colon = text.firstIndex(of: ":") {
        (name, rest) = (text[..<colon], text[colon...])
      }
      if name.last == "." { name = name.dropLast() }
      if name.isEmpty || name.last == "." { return nil }
      host = String(name)
    }
    if rest.isEmpty {
      port = nil
    } else {
      let digits = rest.dropFirst()
      guard rest.first == ":", digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
        let number = Int(digits), number <= 65_535
      else { return nil }
      port = number
    }
  }

  /// Parses a name that an operator gives, which may be an IPv6 address without brackets.
  static func named(_ text: some StringProtocol) -> Authority? { Authority(bracketed(text)) }

  /// A name as a `Host` field has it: an IPv6 address in brackets.
  static func bracketed(_ name: some StringProtocol) -> String {
    NetworkAddress(String(name))?.isIPv4 == false ? "[\(name)]" : String(name)
  }

  /// Whether the host is an IP address.
  var isAddress: Bool { NetworkAddress(host) != nil }

  /// Whether the host is one that no other machine can reach.
  var isLoopback: Bool { Loopback.isHost(host) }
}
