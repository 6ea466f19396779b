import Synchronization

/// The address that the server listens on, and the names by which browsers reach it.
package struct ServerAddress: Hashable, Sendable {
  package let host: String
  package let port: Int
  /// Names that the server answers to besides `host` and the loopback names, with or without a
  /// port.
  package let allowedHosts: [String]
  /// The name of this machine in the local network, to which a server answers that listens on all
  /// addresses; nil for none.
  package let localName: String?
  /// The path below which browsers reach the server.
  package let basePath: BasePath

  package init(
    host: String = "127.0.0.1", port: Int = 8080, allowedHosts: [String] = [],
    localName: String? = nil, basePath: BasePath = BasePath()
  ) {
    self.host = host
    self.port = port
    self.allowedHosts = allowedHosts
    self.localName = localName
    self.basePath = basePath
  }

  /// Whether a text can be a name of a server, with or without a port.
  package static func isName(_ text: String) -> Bool { Authority.named(text) != nil }

  /// Whether the server listens on all addresses of the machine.
  var isEverywhere: Bool { ["0.0.0.0", "::"].contains(host) }

  /// A name by which other machines can reach the server; nil if only this machine can.
  var openName: String? {
    if !Loopback.isHost(host) { return host }
    return allowedHosts.first { !Loopback.isAuthority($0) }
  }
}

/// The port that a server listens on, which is known only after the start if the system chooses it.
final class ListeningPort: Sendable {
  private let port: Mutex<Int>

  init(_ port: Int) { self.port = Mutex(port) }

  var value: Int { port.withLock { $0 } }

  func set(_ port: Int) { self.port.withLock { $0 = port } }
}
