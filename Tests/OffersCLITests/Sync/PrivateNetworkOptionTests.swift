import OffersTestSupport
import Testing

@Suite("--allow-private-network and its setting in the configuration")
struct PrivateNetworkOptionTests {
  private static let feed = #"[{"id":"1","name":"Tea"},{"id":"2","name":"Jam"}]"#

  /// Creates a server that redirects to another server on this machine, the given number of times.
  private static func servers(_ times: Int) throws -> (ScriptedServer, ScriptedServer) {
    let target = try ScriptedServer(
      Array(repeating: .answer("200 OK", [], feed), count: times))
    let server = try ScriptedServer(
      Array(
        repeating: .answer("302 Found", ["Location: \(target.url())"], ""), count: times))
    return (server, target)
  }

  private static let commands: [[String]] = [
    ["feeds", "guess", "URL"], ["feeds", "check", "ibotta", "--from", "URL"],
    ["feeds", "add", "shop", "URL"], ["sync", "ibotta", "--from", "URL"],
  ]

  private static func run(
    _ home: Home, _ command: [String], _ url: String, _ options: [String] = []
  ) async throws -> OffersProgram.Result {
    try await home.call(command.map { $0 == "URL" ? url : $0 } + options)
  }

  @Test(
    "every command that reads a feed needs --allow-private-network for a private network",
    arguments: commands)
  func guardsFeeds(command: [String]) async throws {
    let home = try Home()
    let (server, target) = try Self.servers(4)
    let refused = try await Self.run(home, command, server.url())
    #expect(refused.status == 1)
    #expect(refused.errors.contains("which is not on the public internet"))
    #expect(refused.errors.contains("--allow-private-network"))
    #expect(target.requests.isEmpty)
    let allowed = try await Self.run(home, command, server.url(), ["--allow-private-network"])
    #expect(allowed.status == 0, "\(allowed.errors)")
    #expect(!target.requests.isEmpty)
  }

  @Test(
    "the setting permits private networks for every command that reads a feed", arguments: commands)
  func opensFeeds(command: [String]) async throws {
    let home = try Home()
    let (server, target) = try Self.servers(4)
    let result = try await Self.run(home, command, server.url(), try home.opened())
    #expect(result.status == 0, "\(result.errors)")
    #expect(!target.requests.isEmpty)
  }

  @Test(
    "the option and the setting permit private networks for commands that fetch images",
    .enabled(if: PseudoTerminal.isPresent))
  func opensImages() async throws {
    let server = try ImageServer()
    let home = try await Home(synced: [FeedItem("1", "Tea", image: server.url("1"))])
    let show = ["show", "1", "--images", "always"]
    try await home.expect("image", "1", status: 1)
    #expect(
      try PseudoTerminal.run(show, in: home).contains("which is not on the public internet"))
    #expect(server.requests.isEmpty)
    _ = try PseudoTerminal.run(show + ["--allow-private-network"], in: home)
    #expect(server.requests == ["1": 1])
    try await home.expect("cache", "clear")
    let setting = try home.opened()
    _ = try PseudoTerminal.run(show + setting, in: home)
    #expect(server.requests == ["1": 2])
    try await home.expect("cache", "clear")
    #expect(try await Self.run(home, ["image", "1", "--json"], "", setting).status == 0)
    #expect(server.requests == ["1": 3])
  }
}

extension Home {
  /// Returns the options for a configuration that permits private networks.
  fileprivate func opened() throws -> [String] {
    ["--config", try folder.write("allow-private-network: true\nfeeds: {}\n", to: "feeds.yaml")]
  }
}
