import OffersCore
import OffersFeeds
import OffersHTTP
import OffersPlatform
import OffersSQLite
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersSync

@Suite("Who named a source")
struct SourceTrustTests {
  private static let feed = FeedText.feed(1...3)

  /// A server on this machine, by a name that resolves to it in `resolvingEngine`.
  private static func local(_ server: ScriptedServer) -> String {
    server.url().replacing("127.0.0.1", with: "shop.invalid")
  }

  /// An engine for which every name means this machine.
  private static func resolvingEngine(_ home: SyncedFolder) -> SyncEngine {
    SyncEngine(
      store: home.database,
      transport: .owned {
        HTTPConnections(
          environment: { _ in nil }, lookUp: { _ in [NetworkAddress(ipv4: 0x7F00_0001)] })
      },
      configuration: .shipped, environment: { _ in nil },
      now: { .init() })
  }

  private static func answers(_ count: Int) throws -> ScriptedServer {
    try ScriptedServer(
      Array(repeating: .answer("200 OK", [], FeedText.feed(1...9)), count: count))
  }

  /// Syncs from an address that somebody names who is not at the machine, while its name still means
  /// a server on the public internet.
  private static func nameFromElsewhere(_ url: String, in home: SyncedFolder) async throws {
    let web = SimulatedWeb { _ in SimulatedAnswer(200, [], feed) }
    let engine = SyncEngine(
      store: home.database, now: { .init(timeIntervalSince1970: 1_000) }, jitter: { 1 },
      transport: web)
    let run = try await engine.run(
      "ibotta", options: SyncOptions(source: .url(url), sourceMayBePrivate: false))
    #expect(run.counts.new == 3)
  }

  @Test(
    "a name from elsewhere that later means this machine is not read, until it is named here",
    arguments: [SyncReason.asked, .due, .forced])
  func staysRemote(reason: SyncReason) async throws {
    let home = try await SyncedFolder()
    let server = try Self.answers(2)
    let url = Self.local(server)
    try await Self.nameFromElsewhere(url, in: home)
    #expect(
      try await home.database.findSyncState(of: "ibotta")?.source
        == ChosenSource(url, origin: .remote))
    let engine = Self.resolvingEngine(home)
    let run = try await engine.run("ibotta", options: SyncOptions(reason: reason))
    #expect(run.outcome == .failed)
    #expect(run.error?.message.contains("not on the public internet") == true)
    #expect(run.error?.hint?.command == "offers sync ibotta --from \(url)")
    #expect(server.requests.isEmpty)
    #expect(try await home.ids().count == 3)
    #expect(try await engine.run("ibotta", options: SyncOptions(source: .url(url))).counts.new == 6)
    #expect(try await engine.run("ibotta").outcome == .unchanged)
    #expect(server.requests.count == 2)
  }

  @Test("an address on this machine is refused from elsewhere until it was named here")
  func keepsTrust() async throws {
    let home = try await SyncedFolder()
    let server = try Self.answers(2)
    let fromElsewhere = SyncOptions(source: .url(server.url()), sourceMayBePrivate: false)
    let engine = SyncEngine(store: home.database)
    let refused = try await engine.run("ibotta", options: fromElsewhere)
    #expect(refused.error?.message.contains("not on the public internet") == true)
    #expect(server.requests.isEmpty)
    #expect(try await home.sync(from: server.url()).outcome == .updated)
    #expect(try await engine.run("ibotta", options: fromElsewhere).outcome == .unchanged)
    #expect(try await home.database.findSyncState(of: "ibotta")?.source?.origin == .machine)
  }

  @Test("what an older version remembered is read on the public internet alone")
  func distrustsUnknownHands() async throws {
    let home = try await SyncedFolder()
    let server = try Self.answers(1)
    try await home.remember(ChosenSource(server.url("/a?x=1&y=2"), origin: nil))
    let run = try await home.sync(from: nil)
    #expect(run.outcome == .failed)
    #expect(
      run.error?.hint?.text == """
        Nothing was changed. An earlier version did not record who named the source. If it is \
        right, name it on this machine.
        """)
    #expect(
      run.error?.hint?.command
        == "offers sync ibotta --from '\(server.url("/a?x={hidden}&y={hidden}"))'")
    #expect(server.requests.isEmpty)
    #expect(try await home.sync(from: nil, allowsPrivateNetwork: true).counts.new == 9)
  }

  @Test(
    "a caller who is not at the machine names no file, no standard input and no variable",
    arguments: [
      "/etc/hostname", "feed.json", "../feed.json", "-", "file:///etc/hostname",
      "https://a.example/?k={env:HOME}", "https://{env:HOME}.example/", "{env:HOME}",
      "https://a.example/{page}/{env:HOME}",
    ])
  func refusesFiles(source: String) async throws {
    let home = try await SyncedFolder()
    let web = SimulatedWeb { _ in SimulatedAnswer(200, [], Self.feed) }
    let engine = SyncEngine(
      store: home.database, environment: { _ in "secret" }, now: { .init() }, jitter: { 1 },
      transport: web)
    let options = SyncOptions(source: SyncSource(typed: source), sourceMayBePrivate: false)
    for isTrial in [false, true] {
      let error = await #expect(throws: OffersError.self) {
        _ =
          isTrial
          ? try await engine.runTrial("ibotta", options: options).run
          : try await engine.run("ibotta", options: options)
      }
      #expect(error?.code == .invalidRequest)
    }
    let check = await #expect(throws: OffersError.self) {
      try await engine.check(
        FeedConfiguration.shipped.fetch("ibotta"), from: SyncSource(typed: source),
        options: options)
    }
    #expect(check?.code == .invalidRequest)
    #expect(web.requests.isEmpty)
    #expect(try await home.ids().isEmpty)
  }

  @Test("not even the file that is read anyhow may be named from elsewhere, and it is still read")
  func readsRememberedFiles() async throws {
    let home = try await SyncedFolder()
    let path = try home.folder.write(Self.feed, to: "feed.json")
    try await home.sync(from: path)
    let engine = SyncEngine(store: home.database)
    await #expect(throws: OffersError.self) {
      try await engine.run(
        "ibotta", options: SyncOptions(source: .file(path), sourceMayBePrivate: false))
    }
    let run = try await engine.run("ibotta", options: SyncOptions(sourceMayBePrivate: false))
    #expect(run.outcome == .unchanged)
  }

  @Test(
    "a file that was not named at the machine is not read",
    arguments: [SourceOrigin.remote, .imported, nil])
  func refusesForeignFiles(origin: SourceOrigin?) async throws {
    let home = try await SyncedFolder()
    let path = try home.folder.write(Self.feed, to: "feed.json")
    try await home.remember(ChosenSource(path, origin: origin))
    let run = try await home.sync(from: nil)
    #expect(run.outcome == .failed)
    #expect(run.error?.message.contains("may be named on this machine only") == true)
    #expect(try await home.ids().isEmpty)
    #expect(try await home.sync(from: path).counts.new == 3)
  }

  @Test("a variable is filled in for a definition alone, whoever names the source")
  func keepsVariables() async throws {
    let home = try await SyncedFolder()
    let (web, text) = (SimulatedWeb(), "https://a.example/?k={env:KEY}")
    web.answer { _ in SimulatedAnswer(200, [], #"[{"id":1,"name":"Tea"}]"#) }
    func engine(_ source: String) throws -> SyncEngine {
      SyncEngine(
        store: home.database,
        configuration: try .init(
          yaml: "feeds: {shop: {source: \"\(source)\", items: '', id: id, fields: {name: name}}}",
          name: "feeds.yaml"),
        environment: { _ in "secret" }, now: { .init(timeIntervalSince1970: 1_000) },
        jitter: { 1 }, transport: web)
    }
    let other = try engine("https://b.example/")
    let error = await #expect(throws: OffersError.self) {
      try await other.run("shop", options: SyncOptions(source: .url(text)))
    }
    #expect(error?.code == .invalidRequest)
    #expect(error?.hint?.command == "offers feeds add NAME SOURCE")
    // As an older version left it.
    for origin in [SourceOrigin.machine, nil] {
      try await home.remember(ChosenSource(text, origin: origin), of: "shop")
      let run = try await other.run("shop")
      #expect(run.outcome == .failed)
      #expect(run.error?.message.contains("which only a definition may have") == true)
      #expect(web.requests.isEmpty)
    }
    #expect(try await engine(text).run("shop").counts.new == 1)
    #expect(
      try await engine(text).run("shop", options: SyncOptions(source: .url(text))).error == nil)
    #expect(
      web.requests.map(\.url.absoluteString).allSatisfy { $0 == "https://a.example/?k=secret" })
  }

  @Test(
    "the headers of a definition go to no source that was not named at the machine",
    arguments: [SourceOrigin.remote, .imported, nil])
  func keepsHeaders(origin: SourceOrigin?) async throws {
    let home = try await SyncedFolder()
    let web = SimulatedWeb { _ in SimulatedAnswer(200, [], #"[{"id":1,"name":"Tea"}]"#) }
    let engine = SyncEngine(
      store: home.database,
      configuration: try .init(
        yaml: """
          feeds:
            club: {source: "https://a.example/", headers: {X-Key: "{env:KEY}"}, items: '', id: id,
              fields: {name: name}}
          """, name: "feeds.yaml"),
      environment: { _ in "secret" }, now: { .init(timeIntervalSince1970: 1_000) },
      jitter: { 1 }, transport: web)
    try await home.remember(ChosenSource("https://evil.example/", origin: origin), of: "club")
    let run = try await engine.run("club")
    #expect(run.outcome == .failed)
    #expect(run.error?.message.contains("the headers of club") == true)
    let named = SyncOptions(source: .url("https://worse.example/"), sourceMayBePrivate: false)
    await #expect(throws: OffersError.self) { try await engine.run("club", options: named) }
    #expect(web.requests.isEmpty)
    let own = SyncOptions(source: .url("https://evil.example/"))
    #expect(try await engine.run("club", options: own).counts.new == 1)
    #expect(web.requests.last?.headers.first(name: "x-key") == "secret")
  }

  @Test("where a trusted source has moved to for good is judged as a redirect, each time")
  func judgesNewAddresses() async throws {
    let home = try await SyncedFolder()
    let target = try Self.answers(5)
    let server = try ScriptedServer(
      Array(
        repeating: .answer(
          "301 Moved", ["Location: \(target.url().replacing("127.0.0.1", with: "localhost"))"], ""),
        count: 5))
    for _ in 1...3 {
      #expect(try await home.sync(from: server.url(), allowsPrivateNetwork: true).error == nil)
    }
    #expect(try await home.sync(from: nil, allowsPrivateNetwork: true).error == nil)
    // It is asked for where it is now.
    #expect(server.requests.count == 3)
    let asked = target.requests.count
    let run = try await home.sync(from: nil)
    #expect(run.error?.message.contains("not on the public internet") == true)
    #expect(run.error?.hint == .allowPrivateNetwork)
    #expect(target.requests.count == asked)
  }
}

extension SyncedFolder {
  /// Makes a feed's remembered source what a test says.
  func remember(_ source: ChosenSource, of feed: String = "ibotta") async throws {
    try await database.record(
      SyncRun(
        feed: feed, source: source.text, outcome: .unchanged, bytes: 0,
        startedAt: .init(timeIntervalSince1970: 500), durationSeconds: 0),
      remember: source, fetch: nil)
  }
}
