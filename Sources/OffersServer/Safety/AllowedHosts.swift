import OffersCore
import Synchronization

/// The host names that the server answers to. A page of another site whose name resolves to this
/// machine (DNS rebinding) sends requests with that other name, which are refused.
final class AllowedHosts: Sendable {
  private let names: Mutex<Set<String>>
  private let host: String
  private let more: [String]
  /// Whether the server listens on all addresses of the machine.
  private let isEverywhere: Bool

  /// - Parameters:
  ///   - host: the address that the server listens on.
  ///   - port: the port that it listens on; 0 if the system chooses one at the start.
  ///   - more: names besides the host and those of loopback, with or without a port.
  init(host: String, port: Int, more: [String] = []) {
    self.host = host
    self.more = more
    isEverywhere = ["0.0.0.0", "::"].contains(host)
    names = Mutex(Self.names(host: host, port: port, more: more))
  }

  /// Sets the port, which is known only after the start if the system chooses it.
  func setPort(_ port: Int) {
    let changed = Self.names(host: host, port: port, more: more)
    names.withLock { $0 = changed }
  }

  /// Whether the value of a `Host` field names this server.
  func contains(_ authority: String) -> Bool {
    names.withLock { names in
      names.contains(authority) || names.contains(authority.lowercased())
    } || isEverywhere && Self.isAddress(authority)
  }

  /// Whether the host of an authority is an IP address, which is safe to accept, because DNS
  /// rebinding requires a name.
  private static func isAddress(_ authority: String) -> Bool {
    let host =
      hasPort(authority)
      ? authority[..<(authority.lastIndex(of: ":") ?? authority.endIndex)] : authority[...]
    if host.first == "[", host.last == "]" {
      return host.dropFirst().dropLast().utf8.allSatisfy { byte in
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
          || Character(Unicode.Scalar(byte)).isHexDigit
      }
    }
    let parts = host.split(scalar: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func names(host: String, port: Int, more: [String]) -> Set<String> {
    var names: Set<String> = []
    func add(_ name: String) {
      let name = bracketed(name).lowercased()
      names.insert("\(name):\(port)")
      if port == 80 { names.insert(name) }
    }
    for name in ["localhost", "127.0.0.1", "::1", host] { add(name) }
    for name in more {
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
  private static func bracketed(_ name: String) -> String {
    let isBare =
      name.utf8.count { $0 == UInt8(ascii: ":") } > 1 && name.utf8.first != UInt8(ascii: "[")
    return isBare ? "[\(name)]" : name
  }

  private static func hasPort(_ name: String) -> Bool {
    guard let colon = name.lastIndex(of: ":") else { return false }
    return name.last != "]" && name[name.index(after: colon)...].allSatisfy(\.isNumber)
  }
}
