import OffersPlatform

/// The URLs by which other devices can reach a server.
struct ReachableURLs: Sendable {
  let address: ServerAddress
  let usesTLS: Bool
  /// Whether devices reach the server through a proxy that adds TLS, and only so.
  let isBehindTLS: Bool

  /// The maximum number of URLs.
  private static let limit = 10

  /// The URLs, the best one first: of the allowed names, then of the addresses of this machine.
  /// None if only this machine can reach the server.
  ///
  /// - Parameters:
  ///   - port: the port that the server listens on.
  ///   - interfaces: the addresses of this machine's interfaces, which count for a server that
  ///     listens on all of them.
  func all(port: Int, interfaces: [NetworkAddress]) -> [String] {
    let names = address.allowedHosts.filter { !Loopback.isAuthority($0) }
    if isBehindTLS {
      return names.map { "https://" + Authority.bracketed($0) + address.basePath.text }
    }
    var hosts = names
    switch address.host {
    case "0.0.0.0": hosts += interfaces.filter(\.isIPv4).map(\.text)
    case "::": hosts += interfaces.map(\.text)
    case let host where !Loopback.isHost(host): hosts.append(host)
    default: break
    }
    if address.isEverywhere, let name = address.localName { hosts.append(name) }
    return hosts.prefix(Self.limit).map { url($0, port) }
  }

  /// The URLs with the present addresses of this machine.
  func all(port: Int) -> [String] {
    // If the system does not tell its addresses, those that the operator gave are left.
    all(port: port, interfaces: (try? InterfaceAddresses.fetch()) ?? [])
  }

  private func url(_ host: String, _ port: Int) -> String {
    let name = Authority.bracketed(host)
    let isWhole = Authority(name)?.port != nil || port == (usesTLS ? 443 : 80)
    return (usesTLS ? "https://" : "http://") + (isWhole ? name : "\(name):\(port)")
      + address.basePath.text
  }
}
