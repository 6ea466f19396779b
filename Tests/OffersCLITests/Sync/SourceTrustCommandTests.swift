import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("The trust in a source by who named it: the command line or the API")
struct SourceTrustCommandTests {
  private static let tea = #"[{"id":"1","name":"Tea"}]"#

  private static func server(_ count: Int = 1) throws -> ScriptedServer {
    try ScriptedServer(Array(repeating: .answer("200 OK", [], tea), count: count))
  }

  /// Stores a source as the one that the feed remembers, as of a long time ago.
  private static func remember(_ source: ChosenSource, in home: Home) async throws {
    try await home.store.open().record(
      SyncRun(
        feed: "ibotta", source: source.text, outcome: .unchanged, bytes: 0,
        startedAt: Date(timeIntervalSince1970: 1_000), durationSeconds: 0),
      remember: source, fetch: nil)
  }

  @Test(
    "sync --due reads no source in a private network unless it was named on this machine",
    arguments: [SourceOrigin.remote, .imported, nil])
  func guardsCron(origin: SourceOrigin?) async throws {
    let home = try Home()
    let server = try Self.server(2)
    let url = server.url().replacing("127.0.0.1", with: "localhost")
    try await Self.remember(ChosenSource(url, origin: origin), in: home)
    try await home.expect(
      "sync", "--due", status: 1,
      says: ["which is not on the public internet", "offers sync ibotta --from \(url)"])
    // The run is stored and shown with its command.
    for words in [["status"], ["status", "--json"], ["doctor"]] {
      #expect(
        try home.shell("offers " + words.joined(separator: " ")).output
          .contains("name it on this machine: offers sync ibotta --from "), "\(words)")
    }
    #expect(server.requests.isEmpty)
    #expect(try await home.call("list").output == "")
    try await home.expect("sync", "ibotta", "--from", url)
    try await home.expect("sync", "ibotta")
    #expect(server.requests.count == 2)
  }

  @Test("feeds check reads the source in use, by the rules for whoever named it")
  func checksSourceInUse() async throws {
    let home = try Home()
    let server = try Self.server(3)
    try await home.expect("sync", "ibotta", "--from", server.url())
    let checked = try await home.expect("feeds", "check", "ibotta")
    #expect(checked.output.contains("1 of 1 records are offers"))
    #expect(
      checked.errors == "Read from the source that was set for it: \(server.url())\n")
    #expect(server.requests.count == 2)
    // Another source, or a file of definitions, is read as it is named.
    let sample = try await home.call("feeds", "check", "ibotta", "--from", "sample")
    #expect(sample.output.contains("64 of 64") && server.requests.count == 2)
    let url = server.url().replacing("127.0.0.1", with: "localhost")
    for origin in [SourceOrigin.remote, .imported, nil] {
      try await Self.remember(ChosenSource(url, origin: origin), in: home)
      try await home.expect(
        "feeds", "check", "ibotta", status: 1, says: ["which is not on the public internet"])
      #expect(server.requests.count == 2)
    }
    try await Self.remember(ChosenSource("/etc/hostname", origin: .remote), in: home)
    try await home.expect("feeds", "check", "ibotta", status: 64)
  }

  @Test("a source that the API names must be on the public internet")
  func guardsServer() async throws {
    let home = try Home()
    let server = try Self.server(2)
    let feeds = ServedFeeds(
      database: try await home.store.open(),
      configurationPath: SettingPath(text: home.folder.file("feeds.yaml"), origin: .standard),
      allowsPrivateNetwork: false, log: Log())
    let file = try home.feed([FeedItem("1", "Tea")])
    for source in [server.url(), server.url().replacing("127.0.0.1", with: "localhost"), file, "-"]
    {
      let results = Results()
      try await feeds.sync(
        SyncParameters(["ibotta"], source: SyncSource(typed: source)), progress: { _ in },
        finished: { results.add($1) })
      let error = await results.error
      #expect(error != nil, "\(source)")
      #expect(error?.hint?.text.contains("name it on this machine") == true)
    }
    #expect(server.requests.isEmpty)
    #expect(try await home.call("list").output == "")
    // A source that was named on this machine is read even if the API asks for the sync.
    try await home.expect("sync", "ibotta", "--from", server.url())
    let results = Results()
    try await feeds.sync(
      SyncParameters(["ibotta"]), progress: { _ in }, finished: { results.add($1) })
    #expect(await results.error == nil)
    #expect(server.requests.count == 2)
  }

  @Test("a variable in a source is refused except by feeds add")
  func keepsVariables() async throws {
    let home = try await Home(synced: [FeedItem("7", "Jam")])
    let server = try Self.server(4)
    let source = server.url("/?k={env:OFFERS_KEY}")
    let key = ["OFFERS_KEY": "secret"]
    for words in [
      ["sync", "ibotta", "--from", source], ["sync", "--dry-run", "--from", source],
      ["feeds", "check", "ibotta", "--from", source],
    ] {
      try await home.expect(
        words, status: 64,
        says: ["which only a definition may have", "offers feeds add NAME SOURCE"], with: key)
    }
    #expect(server.requests.isEmpty)
    try await home.expect(["feeds", "add", "shop", source], with: key)
    #expect(server.requests.allSatisfy { $0.hasPrefix("GET /?k=secret ") })
    // The feed's definition has this source, so naming it is allowed.
    try await home.expect(["sync", "shop", "--from", source], with: key)
    #expect(server.requests.count == 2)
  }

  /// Collects the results of a sync's feeds.
  private final class Results: Sendable {
    private let stream = AsyncStream.makeStream(of: Result<SyncRun, OffersError>.self)

    func add(_ result: Result<SyncRun, OffersError>) { stream.continuation.yield(result) }

    /// The error of the first result, or nil if that feed was synced.
    var error: OffersError? {
      get async {
        stream.continuation.finish()
        for await result in stream.stream {
          switch result {
          case .success(let run): return run.error
          case .failure(let error): return error
          }
        }
        return nil
      }
    }
  }
}
