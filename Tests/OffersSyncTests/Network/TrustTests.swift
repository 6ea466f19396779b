import OffersCore
import OffersSync
import OffersTestSupport
import Testing

@Suite("TLS and proxies")
struct TrustTests {
  private static let limits = FetchLimits(idleSeconds: 10, totalSeconds: 30)

  private static func answer() -> String {
    let feed = FeedText.feed(1...3)
    return
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(feed.utf8.count)\r\n\r\n\(feed)"
  }

  @Test("a server with an untrusted certificate is refused")
  func refusesUnknownAuthorities() async throws {
    let home = try await SyncedFolder()
    let server = try await TLSServer(answer: Self.answer())
    let run = try await home.sync(from: server.url(), limits: Self.limits)
    #expect(run.outcome == .failed)
    #expect(run.error?.message.contains("cannot be trusted") == true, "\(run.error as Any)")
    #expect(run.error?.hint?.text.contains("SSL_CERT_FILE") == true)
    try await server.stop()
  }

  @Test("the certificates in a file of the user are trusted")
  func honoursOwnAuthorities() async throws {
    let home = try await SyncedFolder()
    let server = try await TLSServer(answer: Self.answer())
    let path = try home.folder.write(server.certificate, to: "ca.pem")
    let run = try await home.sync(
      from: server.url(), limits: Self.limits, environment: ["SSL_CERT_FILE": path])
    #expect(run.error == nil)
    #expect(run.counts.new == 3)
    try await server.stop()
  }

  @Test("an invalid file of certificates is reported before any request")
  func refusesBrokenAuthorities() async throws {
    let home = try await SyncedFolder()
    let path = try home.folder.write("no certificate", to: "ca.pem")
    let run = try await home.sync(
      from: "https://localhost:1/", limits: Self.limits, environment: ["SSL_CERT_FILE": path])
    #expect(run.error?.message.contains("SSL_CERT_FILE names \(path)") == true)
  }

  /// The proxy's response when the tunnel is open.
  private static let tunnel = ScriptedServer.Step.text("HTTP/1.1 200 Connected\r\n\r\n")

  @Test("a tunnel to another host is requested from the proxy with the user's credentials")
  func asksProxies() async throws {
    let home = try await SyncedFolder()
    let proxy = try ScriptedServer([
      .inTurn([Self.tunnel, .answer("200 OK", [], FeedText.feed(1...3))])
    ])
    let run = try await home.sync(
      from: "http://feed.example/offers.json", limits: Self.limits,
      environment: ["http_proxy": "http://ana:geheim@127.0.0.1:\(proxy.port)"])
    #expect(run.counts.new == 3)
    let request = try #require(proxy.requests.first)
    #expect(request.hasPrefix("CONNECT feed.example:80 HTTP/1.1\r\n"))
    #expect(request.lowercased().contains("proxy-authorization: basic"))
  }

  @Test("a TLS connection uses a tunnel, which a proxy may refuse")
  func asksForTunnels() async throws {
    let home = try await SyncedFolder()
    let proxy = try ScriptedServer([.answer("403 Forbidden", [], "")])
    let run = try await home.sync(
      from: "https://feed.example/offers.json", limits: Self.limits,
      environment: ["HTTPS_PROXY": "http://127.0.0.1:\(proxy.port)"])
    #expect(proxy.requests.first?.hasPrefix("CONNECT feed.example:443 HTTP/1.1\r\n") == true)
    #expect(run.error?.message.contains("proxy that refused") == true, "\(run.error as Any)")
  }

  @Test("a proxy does not lift the restriction on private networks")
  func refusesPrivateTargetsThroughProxies() async throws {
    let home = try await SyncedFolder()
    let proxy = try ScriptedServer([
      .inTurn([Self.tunnel, .answer("302 Found", ["Location: http://2852039166/"], "")])
    ])
    let run = try await home.sync(
      from: "http://feed.example/offers.json", limits: Self.limits,
      environment: ["http_proxy": "http://127.0.0.1:\(proxy.port)"])
    #expect(run.error?.message.contains("169.254.169.254") == true, "\(run.error as Any)")
    #expect(proxy.requests.count == 2)
  }

  @Test("an invalid proxy is reported by its variable, without its password")
  func refusesSenselessProxies() async throws {
    let home = try await SyncedFolder()
    let run = try await home.sync(
      from: "https://feed.example/", limits: Self.limits,
      environment: ["HTTPS_PROXY": "ftp://ana:geheim@127.0.0.1:1"])
    #expect(
      run.error?.message.contains("HTTPS_PROXY") == true
        || run.error?.message.contains("https_proxy") == true, "\(run.error as Any)")
    #expect(run.error?.description.contains("geheim") == false)
  }
}
