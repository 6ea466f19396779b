import Foundation
import OffersCore
import OffersSQLite
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("Hosts that asked for no requests")
struct HostWaitTests {
  private static func yaml(_ sources: [(String, String)]) -> String {
    "feeds:\n"
      + sources.map { name, source in
        """
          \(name):
            source: \(source)
            search: \(source)?q={query}
            items: ""
            id: id
            fields: {name: name}

        """
      }.joined()
  }

  private static let limited = SimulatedAnswer(429, [("Retry-After", "7200")])
  private static let feed = SimulatedAnswer(200, [], #"[{"id":1,"name":"Tea"}]"#)

  private static func limit(_ home: FetchHome, _ host: String, _ answer: SimulatedAnswer = limited)
  {
    home.web.answer { $0.url.host() == host ? answer : feed }
  }

  private static func requests(_ home: FetchHome) -> [String] {
    home.web.requests.map { ($0.url.host() ?? "") + $0.url.path() }
  }

  @Test("one 429 puts off all feeds of its host, also those on its https side, and no others")
  func holdsForFeeds() async throws {
    let home = try await FetchHome()
    let engine = try home.engine(
      Self.yaml([
        ("a", "https://shop.example/a"), ("b", "https://SHOP.example/b"),
        ("c", "http://shop.example/c"), ("d", "https://shop.example:8443/d"),
        ("e", "https://www.shop.example/e"),
      ]))
    home.web.answer {
      $0.url.host() == "shop.example" && $0.url.port == nil ? Self.limited : Self.feed
    }
    var outcomes: [String: SyncOutcome] = [:]
    let names = ["a", "b", "c", "d", "e"]
    try await engine.run(names) { outcomes[$0] = try? $1.get().outcome }
    #expect(
      names.map { outcomes[$0] } == [.failed, .skipped, .skipped, .updated, .updated])
    #expect(home.web.requests.count == 3)
    let until = home.now.addingTimeInterval(7200)
    home.web.answer { _ in Self.feed }
    // Also for another node, and until then only.
    let other = try await OffersDatabase.open(path: home.database.place)
    let node = SyncEngine(
      store: other, configuration: engine.configuration, now: { home.now }, jitter: { 1 },
      transport: home.web)
    #expect(try await node.run("b", options: SyncOptions(reason: .due)).skip == .wait(until: until))
    home.wait(hours: 2)
    #expect(try await node.run("b").outcome == .updated)
  }

  @Test("a person may force a sync, whose answer ends the wait of the host")
  func isForced() async throws {
    let home = try await FetchHome()
    let engine = try home.engine(
      Self.yaml([("a", "https://shop.example/a"), ("b", "https://shop.example/b")]))
    Self.limit(home, "shop.example")
    _ = try await engine.run("a")
    // A trial writes nothing, and asks no more than a sync.
    #expect(try await engine.runTrial("b").run.skip != nil)
    let forced = SyncOptions(reason: .forced)
    #expect(try await engine.run("b", options: forced).outcome == .failed)
    home.web.answer { _ in Self.feed }
    #expect(try await engine.run("a").skip != nil)
    #expect(try await engine.run("b", options: forced).outcome == .updated)
    #expect(home.web.requests.count == 3)
    #expect(try await engine.run("b").outcome == .unchanged)
  }

  @Test("a document that was read before is stored in spite of a wait, and not asked for again")
  func usesAnswers() async throws {
    let (home, other) = (try await FetchHome(), try await FetchHome())
    let engine = try home.engine(
      Self.yaml([("a", "https://shop.example/a"), ("b", "https://shop.example/b")]))
    let known = CachingTransport(home.web)
    func run(_ feed: String, in database: OffersDatabase) async throws -> SyncRun {
      try await SyncEngine(
        store: database, transport: known, configuration: engine.configuration, now: { home.now }
      ).run(feed)
    }
    home.web.answer { _ in Self.feed }
    #expect(try await run("a", in: other.database).outcome == .updated)
    Self.limit(home, "shop.example")
    #expect(try await engine.run("b").outcome == .failed)
    #expect(try await run("a", in: home.database).outcome == .updated)
    #expect(try await run("b", in: home.database).skip != nil)
    #expect(home.web.requests.count == 2)
  }

  @Test(
    "a 429 without Retry-After waits an hour, doubled with each failure; a 503 without it does not")
  func waitsByItself() async throws {
    let home = try await FetchHome()
    let engine = try home.engine(
      Self.yaml([("a", "https://shop.example/a"), ("b", "https://shop.example/b")]))
    Self.limit(home, "shop.example", SimulatedAnswer(503))
    for name in ["a", "b"] { #expect(try await engine.run(name).outcome == .failed) }
    Self.limit(home, "shop.example", SimulatedAnswer(429, [("Retry-After", "soon")]))
    // The second failure of each.
    #expect(try await engine.run("a").outcome == .failed)
    #expect(try await engine.run("b").skip == .wait(until: home.now.addingTimeInterval(7200)))
  }

  @Test("behind a redirect the host that answered waits, not the one that redirects")
  func holdsBehindRedirects() async throws {
    let home = try await FetchHome()
    let engine = try home.engine(
      Self.yaml([
        ("a", "https://short.example/a"), ("b", "https://shop.example/b"),
        ("c", "https://short.example/c"),
      ]))
    home.web.answer { request in
      switch request.url.path() {
      case "/a": SimulatedAnswer(302, [("Location", "https://shop.example/moved")])
      case "/c": Self.feed
      default: Self.limited
      }
    }
    #expect(try await engine.run("a").outcome == .failed)
    #expect(try await engine.run("b").skip != nil)
    #expect(try await engine.run("c").outcome == .updated)
    #expect(Self.requests(home) == ["short.example/a", "shop.example/moved", "short.example/c"])
  }

  @Test("searches and pictures wait with the feeds of their host, and feeds with them")
  func holdsForAll() async throws {
    let home = try await FetchHome()
    let engine = try home.engine(
      Self.yaml([("a", "https://shop.example/a"), ("b", "https://other.example/b")]))
    let loader = ImageLoader(images: home.database, transport: home.web) { home.now }
    home.web.answer { _ in Self.limited }
    // A picture first, then a feed.
    await #expect(throws: OffersError.self) {
      try await loader.image(at: "https://shop.example/1.png")
    }
    #expect(try await engine.run("a").skip != nil)
    for url in ["https://shop.example/2.png", "https://shop.example/3.png"] {
      let error = await #expect(throws: OffersError.self) { try await loader.image(at: url) }
      #expect(error?.message.hasPrefix("shop.example asked to wait until ") == true)
      #expect(try await home.database.findFailure(of: url, now: home.now) == nil)
    }
    let refused = await #expect(throws: OffersError.self) {
      try await engine.search("a", for: "tea")
    }
    #expect(refused?.message.hasPrefix("shop.example asked to wait until ") == true)
    #expect(home.web.requests.count == 1)
    // A search first, then a feed.
    await #expect(throws: OffersError.self) { try await engine.search("b", for: "tea") }
    #expect(try await engine.run("b").skip != nil)
    #expect(home.web.requests.count == 2)
    await loader.close()
  }
}
