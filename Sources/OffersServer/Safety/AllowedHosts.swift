/// The host names that the server answers to. A page of another site whose name resolves to this
/// machine (DNS rebinding) sends requests with that other name, which are refused.
///
/// Ports do not count, unless the operator names one: a proxy, a tunnel or a container may listen on another port
/// than the server, and a rebound name is refused with each.
struct AllowedHosts: Sendable {
  /// The names that are accepted with any port.
  private let names: Set<String>
  /// The names that the operator gave with a port.
  private let authorities: Set<Authority>
  private let isEverywhere: Bool

  /// - Parameter address: the address that the server listens on, and further names.
  init(_ address: ServerAddress) {
    let given = address.allowedHosts.compactMap { Authority.named($0) }
    var own = [address.host]
    if address.isEverywhere, let name = address.localName { own.append(name) }
    names = Set(
      own.compactMap { Authority.named($0)?.host } + given.filter { $0.port == nil }.map(\.host))
    authorities = Set(given.filter { $0.port != nil })
    isEverywhere = address.isEverywhere
  }

  /// Whether the value of a `Host` field names this server.
  func contains(_ authority: String) -> Bool {
    guard let asked = Authority(authority) else { return false }
    // An IP address is safe to accept, because DNS rebinding requires a name.
    return asked.isLoopback || names.contains(asked.host) || authorities.contains(asked)
      || isEverywhere && asked.isAddress
  }
}
