import Hummingbird
import OffersCore
import OffersPlatform
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

/// Names and addresses of this machine that no other machine can reach.
enum Loopback {
  /// Whether a host is `localhost`, with or without a dot at its end, `::1`, or an address in 127.0.0.0/8.
  static func isHost(_ host: some StringProtocol) -> Bool {
    NetworkAddress(String(host)).map(contains)
      ?? ["localhost", "localhost."].contains(host.lowercased())
  }

  /// Whether an address is `::1` or in 127.0.0.0/8, also if that is mapped to IPv6.
  static func contains(_ address: NetworkAddress) -> Bool {
    address.isIPv4
      ? address.value >> 24 == 127 : address.value == 1 || address.value >> 24 == 0xFFFF_7F
  }

  /// Whether the host of an authority (a host with or without a port) is a loopback host.
  static func isAuthority(_ authority: some StringProtocol) -> Bool {
    Authority.named(authority)?.isLoopback ?? false
  }
}

/// The path below which browsers reach the server, such as `/offers`; empty at the root of its host.
///
/// Routes, pages and forms know only paths of the server, such as `/feeds/ibotta`. This type alone puts the base
/// path before a path that leaves the server, and takes it from one that arrives. Scripts know it by their own
/// address (base-path.js and the service worker).
package struct BasePath: Hashable, Sendable {
  /// The attributes of pages with addresses, as alternatives of a regular expression, which the service worker
  /// uses as well.
  static let attributes =
    "action|data-href|data-late|data-list-link|data-under|href|src"

  /// The path without a slash at its end.
  package let text: String

  package init() { text = "" }

  /// - Parameter typed: a path; the slashes at its ends may be missing.
  /// - Throws: `OffersError` with `invalidRequest` unless its segments consist of letters, digits and `-._~`, which
  ///   browsers and proxies leave as they are, and no segment consists of dots.
  package init(_ typed: String) throws {
    let segments = typed.split(scalar: "/")
    guard typed.utf8.count <= 200, !typed.contains("//"), segments.allSatisfy(Self.isPlain) else {
      throw OffersError(
        .invalidRequest, "“\(typed.prefix(80))” is not a path below which a server can be reached.",
        hint: "Name one of letters, digits, “-”, “.” and “_”, such as /offers.")
    }
    text = segments.map { "/" + $0 }.joined()
  }

  private static func isPlain(_ segment: Substring) -> Bool {
    segment.utf8.contains { $0 != UInt8(ascii: ".") }
      && segment.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-._~".utf8.contains(byte)
        }
      }
  }

  func address(_ path: String) -> String { text + path }

  /// A complete page, in which the addresses of the server are below the base path.
  func place(_ html: String) -> String {
    if text.isEmpty { return html }
    let quote = [UInt8]("=\"/".utf8)
    let names = Self.attributes.split(scalar: "|").map { [UInt8](" \($0)".utf8) }
    let bytes = Array(html.utf8)
    var placed: [UInt8] = []
    placed.reserveCapacity(bytes.count + bytes.count / 16)
    var start = 0
    // A quote within a text or a value of an attribute is escaped (`PageEscaping`).
    for place in bytes.indices where bytes[place] == quote[0] && bytes[place...].starts(with: quote)
    {
      guard names.contains(where: { bytes[..<place].suffix($0.count).elementsEqual($0) }) else {
        continue
      }
      placed += bytes[start..<place + 2]
      placed += text.utf8
      start = place + 2
    }
    placed += bytes[start...]
    return String(decoding: placed, as: UTF8.self)
  }

  /// The part of a request's target behind the base path: empty for the base path itself, else with a slash or a
  /// query at its start; nil for a target that is not below it.
  func rest(of request: Request) -> Substring? {
    guard !text.isEmpty, let target = request.head.path, target.hasPrefix(text) else { return nil }
    let rest = target.dropFirst(text.count)
    return rest.isEmpty || rest.first == "/" || rest.first == "?" ? rest : nil
  }
}

extension Request {
  /// The URL of this server by the host that a request names, which was checked to be a name of the server: without a
  /// slash at its end.
  func server(isSecure: Bool, below basePath: BasePath) throws -> String {
    guard let authority = head.authority else {
      throw Problem(.badRequest, "A request must name its host exactly once.")
    }
    return (isSecure ? "https://" : "http://") + authority + basePath.text
  }
}
