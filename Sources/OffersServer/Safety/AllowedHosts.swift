import Synchronization

/// The names that the server answers to. A page of another site whose name leads here, by DNS
/// rebinding, asks by that other name, and is refused.
final class AllowedHosts: Sendable {
  private let names: Mutex<Set<String>>
  private let host: String
  private let more: [String]
  /// Whether it listens at every address of the machine.
  private let isEverywhere: Bool

  /// - Parameters:
  ///   - host: the address it listens at.
  ///   - more: names beside it and loopback's, with a port or without.
  init(host: String, port: Int, more: [String] = []) {
    self.host = host
    self.more = more
    isEverywhere = ["0.0.0.0", "::"].contains(host)
    names = Mutex(Self.names(host: host, port: port, more: more))
  }

  /// Takes another port, once it is known which one it is.
  func setPort(_ port: Int) {
    let changed = Self.names(host: host, port: port, more: more)
    names.withLock { $0 = changed }
  }

  /// Whether a `Host` field names this server.
  func contains(_ authority: String) -> Bool {
    names.withLock { names in
      names.contains(authority) || names.contains(authority.lowercased())
    } || isEverywhere && Self.isAddress(authority)
  }

  /// Whether it is an address and no name. Only names can be made to lead elsewhere.
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
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func names(host: String, port: Int, more: [String]) -> Set<String> {
    var names: Set<String> = []
    func add(_ name: String) {
      // An address of version 6 stands in brackets where a port may follow.
      let name = (name.contains(":") ? "[\(name)]" : name).lowercased()
      names.insert("\(name):\(port)")
      if port == 80 { names.insert(name) }
    }
    for name in ["localhost", "127.0.0.1", "::1", host] { add(name) }
    for name in more {
      let name = name.lowercased()
      names.insert(name)
      // What stands before it, say for encryption, may use another port or none.
      if hasPort(name) { continue }
      names.insert("\(name):\(port)")
    }
    return names
  }

  private static func hasPort(_ name: String) -> Bool {
    guard let colon = name.lastIndex(of: ":") else { return false }
    return name.last != "]" && name[name.index(after: colon)...].allSatisfy(\.isNumber)
  }
}
