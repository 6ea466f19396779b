import OffersPlatform
import OffersSync

/// The hosts that are contacted without a proxy, as listed in `no_proxy`.
///
/// Entries are separated by commas or white space: `example.com`, `.example.com` or `*.example.com`
/// for a host and its subdomains, an address, a range such as `10.0.0.0/8`, or `*` for all hosts.
/// Host names and addresses may have a port. An entry of any other form matches nothing.
struct ProxyExceptions: Hashable, Sendable {
  private enum Exception: Hashable, Sendable {
    case domain(String, port: Int?)
    case addresses(AddressRange, port: Int?)
  }

  /// Whether the list contains `*`, so that no host has a proxy.
  let isEverything: Bool
  private let exceptions: [Exception]

  init(_ text: String) {
    let entries = text.split { $0 == "," || $0.isWhitespace }
    isEverything = entries.contains("*")
    exceptions = entries.compactMap(Self.exception)
  }

  /// - Parameters:
  ///   - host: a name in lower case without a trailing dot.
  ///   - address: the address if the host is an address literal, which is then compared with
  ///     addresses and ranges only; nil for a name, which is compared with names only.
  ///   - port: the port of the request, which must equal the port of an exception that has one.
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
