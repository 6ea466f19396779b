/// The hosts that are asked without a proxy, as `no_proxy` lists them.
///
/// Separated by commas or blanks: `example.com` or `.example.com` for a host and all below it, an
/// address, a range such as `10.0.0.0/8`, each but a range with or without a port, `*` for all.
/// What is none of these matches nothing.
struct ProxyExceptions: Hashable, Sendable {
  private enum Exception: Hashable, Sendable {
    case domain(String, port: Int?)
    case addresses(AddressRange, port: Int?)
  }

  /// True when no host has a proxy.
  let isEverything: Bool
  private let exceptions: [Exception]

  init(_ text: String) {
    let entries = text.split { $0 == "," || $0.isWhitespace }
    isEverything = entries.contains("*")
    exceptions = entries.compactMap(Self.exception)
  }

  /// - Parameters:
  ///   - host: a name in lower case without a last dot.
  ///   - address: the address that the host is a literal of; no name matches then.
  func contains(host: String, address: NetworkAddress?, port: Int) -> Bool {
    isEverything
      || exceptions.contains { exception in
        switch exception {
        case .domain(let domain, let only):
          address == nil && (only ?? port) == port
            && (host == domain || host.hasSuffix("." + domain))
        case .addresses(let range, let only):
          (only ?? port) == port && (address.map(range.contains) ?? false)
        }
      }
  }

  private static func exception(_ entry: Substring) -> Exception? {
    if let range = AddressRange(String(entry)) { return .addresses(range, port: nil) }
    var name = entry
    if name.hasPrefix("*.") { name = name.dropFirst() }
    if name.hasPrefix(".") { name = name.dropFirst() }
    guard let place = HostAndPort(String(name)) else { return nil }
    if let address = AddressRange(place.host) { return .addresses(address, port: place.port) }
    return .domain(place.host, port: place.port)
  }
}
