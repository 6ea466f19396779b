import OffersCore
import OffersPlatform
import Synchronization

/// The host names that the server answers to. A page of another site whose name resolves to this
/// machine (DNS rebinding) sends requests with that other name, which are refused.
final class AllowedHosts: Sendable {
  private struct State {
    var names: Set<String>
    var port: Int
  }

  private let state: Mutex<State>
  private let address: ServerAddress
  /// The port that a `Host` field leaves out.
  private let usualPort: Int

  /// - Parameters:
  ///   - address: the address that the server listens on, with port 0 if the system chooses one at the
  ///     start, and further names.
  ///   - usesTLS: whether the server itself speaks TLS.
  init(_ address: ServerAddress, usesTLS: Bool = false) {
    self.address = address
    usualPort = usesTLS ? 443 : 80
    state = Mutex(
      State(names: Self.names(address, address.port, usualPort), port: address.port))
  }

  /// The port that the server listens on; 0 before the system has chosen one.
  var port: Int { state.withLock(\.port) }

  /// Sets the port, which is known only after the start if the system chooses it.
  func setPort(_ port: Int) {
    let changed = State(names: Self.names(address, port, usualPort), port: port)
    state.withLock { $0 = changed }
  }

  /// Whether the value of a `Host` field names this server.
  func contains(_ authority: String) -> Bool {
    state.withLock { state in
      state.names.contains(authority) || state.names.contains(authority.lowercased())
    } || address.isEverywhere && Self.isAddress(authority)
  }

  /// Whether the host of an authority is an IP address, which is safe to accept, because DNS
  /// rebinding requires a name.
  private static func isAddress(_ authority: String) -> Bool {
    let host =
      hasPort(authority)
      ? authority[..<(authority.lastIndex(of: ":") ?? authority.endIndex)] : authority[...]
    let isBracketed = host.first == "[" && host.last == "]"
    let address = NetworkAddress(String(isBracketed ? host.dropFirst().dropLast() : host))
    return address.map { $0.isIPv4 != isBracketed } ?? false
  }

  private static func names(
    _ address: ServerAddress, _ port: Int, _ usualPort: Int
  ) -> Set<String> {
    var names: Set<String> = []
    func add(_ name: String) {
      let name = bracketed(name).lowercased()
      names.insert("\(name):\(port)")
      if port == usualPort { names.insert(name) }
    }
    for name in ["localhost", "127.0.0.1", "::1", address.host] { add(name) }
    if address.isEverywhere, let name = address.localName { add(name) }
    for name in address.allowedHosts {
      let name = bracketed(name).lowercased()
      // A name is accepted as it is given: a proxy in front of the server, such as one for TLS, may
      // use the default port, which a `Host` field leaves out, or the given one.
      names.insert(name)
      if hasPort(name) { continue }
      names.insert("\(name):\(port)")
    }
    return names
  }

  /// A name as a `Host` field has it: an IPv6 address in brackets.
  static func bracketed(_ name: String) -> String {
    let isBare =
      name.utf8.count { $0 == UInt8(ascii: ":") } > 1 && name.utf8.first != UInt8(ascii: "[")
    return isBare ? "[\(name)]" : name
  }

  /// Whether an authority ends with a port.
  static func hasPort(_ name: String) -> Bool {
    guard let colon = name.lastIndex(of: ":") else { return false }
    return name.last != "]" && name[name.index(after: colon)...].allSatisfy(\.isNumber)
  }
}
