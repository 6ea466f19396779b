import OffersCore
import OffersPlatform
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersHTTP
@testable import OffersSync

@Suite("Connections to addresses that were looked at")
struct HTTPConnectionsTests {
  /// A resolver that answers as a test says, and notes what it is asked.
  private final class Names: Sendable {
    private let state: Mutex<(answers: [[String]], asked: [String])>

    /// - Parameter answers: one a question; the last one goes on.
    init(_ answers: [[String]]) { state = Mutex((answers, [])) }

    var asked: [String] { state.withLock { $0.asked } }

    @Sendable func lookUp(_ name: String) async throws -> [NetworkAddress] {
      state.withLock { state in
        state.asked.append(name)
        let answer = state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        return answer.compactMap { NetworkAddress($0) }
      }
    }
  }

  private static let ok = ScriptedServer.Step.answer("200 OK", [], "Tea")

  /// Asks a server by the way of an injected resolver.
  private static func withConnections<Result>(
    _ names: Names, environment: [String: String] = [:],
    _ body: (HTTPConnections) async throws -> Result
  ) async throws -> Result {
    let connections = HTTPConnections(
      environment: { environment[$0] }, lookUp: names.lookUp)
    do {
      let result = try await body(connections)
      await connections.close()
      return result
    } catch {
      await connections.close()
      throw error
    }
  }

  private static func ask(
    _ connections: HTTPConnections, _ url: String, mayBePrivate: Bool
  ) async throws -> Int {
    let response = try await connections.send(
      TransportRequest(url: url, mayBePrivate: mayBePrivate, headSeconds: 10, idleSeconds: 10))
    for try await _ in response.body {}
    return response.status
  }

  @Test("a request with a body is sent by POST, and its redirect is not followed")
  func posts() async throws {
    let server = try ScriptedServer([
      .answer("307 Temporary Redirect", ["Location: /other"], "")
    ])
    let status = try await Self.withConnections(Names([["127.0.0.1"]])) { connections in
      let response = try await connections.send(
        TransportRequest(
          url: server.url("/token"), posting: Array("code=x".utf8),
          headers: [HeaderField("authorization", "Basic eA==")], mayBePrivate: true,
          headSeconds: 10, idleSeconds: 10))
      for try await _ in response.body {}
      return response.status
    }
    #expect(status == 307)
    let request = try #require(server.requests.first)
    #expect(request.hasPrefix("POST /token HTTP/1.1\r\n"))
    #expect(request.lowercased().contains("\r\ncontent-length: 6\r\n"))
    #expect(request.contains("Basic eA=="))
  }

  @Test("a name is looked up once, and a later answer is never connected to")
  func looksUpOnce() async throws {
    let names = Names([["127.0.0.1"], ["127.0.0.9"]])
    let server = try ScriptedServer([Self.ok, Self.ok, Self.ok])
    try await Self.withConnections(names) { connections async throws -> Void in
      for path in ["a", "b", "c"] {
        let url = "http://shop.invalid:\(server.port)/\(path)"
        #expect(try await Self.ask(connections, url, mayBePrivate: true) == 200)
      }
    }
    #expect(names.asked == ["shop.invalid"])
    #expect(server.requests.count == 3)
  }

  @Test(
    "a name is never left to the client to look up, however it is written",
    arguments: [
      "SHOP.invalid", "shop.invalid.", "Shop.Invalid.", "xn--e1afmkfd.invalid", "a_b.invalid",
      "XN--E1AFMKFD.invalid", "пример.invalid", "ПРИМЕР.invalid.", "ｓｈｏｐ.invalid",
      "1.2.3.4.invalid", "0x7f.invalid", "-shop-.invalid",
    ])
  func overridesEverySpelling(name: String) async throws {
    let names = Names([["127.0.0.1"]])
    let server = try ScriptedServer([Self.ok])
    try await Self.withConnections(names) { connections async throws -> Void in
      // No resolver in the world knows these names: only the address that was looked at answers.
      let url = "http://\(name):\(server.port)/"
      #expect(try await Self.ask(connections, url, mayBePrivate: true) == 200)
    }
    #expect(names.asked.count == 1)
    #expect(server.requests.count == 1)
  }

  @Test(
    "a host that the client could read otherwise is not asked",
    arguments: [
      "http://127.0.0.1%2eexample.com:PORT/", "http://%31%32%37.0.0.1:PORT/",
      "http://[fe80::1%25lo]:PORT/", "http://[::1%25lo]:PORT/",
      "http://[::ffff:127.0.0.1%25lo]:PORT/",
      "http://127.0.0.1:PORT\\@example.com/", "http://a b.example:PORT/", "http://:PORT/",
    ])
  func refusesOddHosts(url: String) async throws {
    let names = Names([["127.0.0.1"]])
    let server = try ScriptedServer([Self.ok])
    try await Self.withConnections(names) { connections async throws -> Void in
      let url = url.replacing("PORT", with: "\(server.port)")
      await #expect(throws: (any Error).self) {
        try await Self.ask(connections, url, mayBePrivate: false)
      }
    }
    #expect(server.requests.isEmpty)
  }

  @Test(
    "what is not public is refused in every spelling, and nothing is asked of it",
    arguments: [
      "127.0.0.1.", "127。0。0。1", "１２７.0.0.1", "ⓛocalhost", "127.1", "0x7f.1", "2130706433",
      "0177.0.0.1", "localhost", "LOCALHOST.",
      "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "0",
      "0.0.0.0", "[::]",
    ])
  func refusesLiterals(host: String) async throws {
    let names = Names([["127.0.0.1", "10.0.0.1"]])
    let server = try ScriptedServer([Self.ok])
    try await Self.withConnections(names) { connections async throws -> Void in
      let error = await #expect(throws: OffersError.self) {
        try await Self.ask(connections, "http://\(host):\(server.port)/", mayBePrivate: false)
      }
      #expect(error?.message.contains("not on the public internet") == true)
    }
    #expect(server.requests.isEmpty)
  }

  @Test("a request that must not go to a private network shares no connection with one that may")
  func keepsTrustApart() async throws {
    for isTrustedFirst in [true, false] {
      let names = Names([["127.0.0.1"]])
      let server = try ScriptedServer([Self.ok])
      try await Self.withConnections(names) { connections async throws -> Void in
        for isTrusted in [isTrustedFirst, !isTrustedFirst] {
          let url = "http://shop.invalid:\(server.port)/"
          if isTrusted {
            #expect(try await Self.ask(connections, url, mayBePrivate: true) == 200)
          } else {
            await #expect(throws: OffersError.self) {
              try await Self.ask(connections, url, mayBePrivate: false)
            }
          }
        }
      }
      #expect(server.requests.count == 1)
    }
  }

  @Test(
    "of several addresses only public ones are tried",
    arguments: [
      ["127.0.0.1", "10.0.0.1"], ["::ffff:127.0.0.1", "fd00::1"], ["fe80::1", "127.0.0.1"],
    ])
  func triesPublicOnes(addresses: [String]) async throws {
    let server = try ScriptedServer([Self.ok])
    try await Self.withConnections(Names([addresses])) { connections async throws -> Void in
      let error = await #expect(throws: OffersError.self) {
        try await Self.ask(
          connections, "http://shop.invalid:\(server.port)/", mayBePrivate: false)
      }
      #expect(error?.message.contains("leads to a private network") == true)
      #expect(error?.cause == addresses[0])
    }
    #expect(server.requests.isEmpty)
  }

  @Test(
    "by way of a proxy, addresses and names of own networks are refused; others are the proxy's",
    arguments: [
      ("10.0.0.1", false), ("10.0.0.1.", false), ("0x0a000001", false), ("[fd00::1]", false),
      ("nas", false), ("nas.local", false), ("NAS.home.arpa.", false), ("a.b.internal", false),
      ("shop.example", true), ("local.example", true),
    ])
  func guardsProxies(host: String, isAsked: Bool) async throws {
    let proxy = try ScriptedServer([.inTurn([.text("HTTP/1.1 200 OK\r\n\r\n"), Self.ok])])
    let names = Names([["127.0.0.1"]])
    let environment = ["http_proxy": "http://127.0.0.1:\(proxy.port)"]
    try await Self.withConnections(names, environment: environment) {
      connections async throws -> Void in
      if isAsked {
        let status = try await Self.ask(connections, "http://\(host)/", mayBePrivate: false)
        #expect(status == 200)
      } else {
        let error = await #expect(throws: OffersError.self) {
          try await Self.ask(connections, "http://\(host)/", mayBePrivate: false)
        }
        #expect(error?.message.contains("not on the public internet") == true)
        #expect(error?.hint == .allowPrivateNetwork)
      }
    }
    #expect(proxy.requests.first?.hasPrefix("CONNECT \(host):80 ") == (isAsked ? true : nil))
    #expect(names.asked.isEmpty)
  }
}
