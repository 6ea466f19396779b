import OffersCore
import OffersHTTP
import OffersSync
import OffersTestSupport
import Testing

@Suite("Private networks")
struct PrivateNetworkTests {
  private static let limits = FetchLimits(idleSeconds: 5, totalSeconds: 20)

  @Test(
    "a redirect to an address that is not on the public internet is refused",
    arguments: [
      "http://169.254.169.254/latest/meta-data/", "http://2852039166/latest/",
      "http://[64:ff9b::169.254.169.254]/", "http://192.168.1.1/admin", "http://LOCALHOST:1/",
    ])
  func refusesRedirects(target: String) async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    let server = try ScriptedServer([.answer("302 Found", ["Location: \(target)"], "")])
    let run = try await home.sync(from: server.url(), limits: Self.limits)
    #expect(run.outcome == .failed)
    #expect(
      run.error?.message.contains("which is not on the public internet") == true,
      "\(run.error?.message ?? "")")
    #expect(run.error?.hint == .allowPrivateNetwork)
    #expect(try await home.ids() == ["1", "2", "3"])
  }

  @Test("a next page on another server of a private network is refused, and nothing is stored")
  func refusesNextPages() async throws {
    let folder = try TemporaryFolder()
    let other = try ScriptedServer([.answer("200 OK", [], "[]")])
    let server = try ScriptedServer([
      .answer(
        "200 OK", [], #"{"items":[{"id":1,"name":"Tea"}],"next":"\#(other.url("/2"))"}"#)
    ])
    let yaml = """
      feeds:
        shop:
          source: \(server.url())
          items: items
          id: id
          fields: {name: name}
          pages: {next: next}
      """
    let home = try await SyncedFolder()
    let engine = SyncEngine(
      store: home.database, configuration: try .init(yaml: yaml, name: folder.file("feeds.yaml")))
    let run = try await engine.run("shop")
    #expect(run.outcome == .failed)
    #expect(run.error?.message.contains("not on the public internet") == true)
    #expect(other.requests.isEmpty)
    #expect(try await home.ids().isEmpty)
    let open = try ScriptedServer([
      .answer("200 OK", [], #"{"items":[{"id":1,"name":"Tea"}],"next":"\#(other.url("/2"))"}"#)
    ])
    let allowed =
      "allow-private-network: true\n"
      + yaml.replacing(server.url(), with: open.url()).replacing("id: id", with: "id: id")
    let opened = SyncEngine(
      store: home.database, configuration: try .init(yaml: allowed, name: "feeds.yaml"))
    _ = try await opened.run("shop")
    #expect(other.requests.count == 1)
  }
}
