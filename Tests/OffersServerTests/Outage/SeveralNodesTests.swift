import Foundation
import Hummingbird
import OffersCore
import Testing

@testable import OffersServer

/// Two servers over one database, each with connections and memory of its own.
@Suite("Several servers on one database")
struct SeveralNodesTests {
  private static func other(
    _ home: ServedHome, clock: SteppedClock
  ) async throws -> OffersServer {
    try home.server(
      clock: clock, store: try await home.store.open(),
      host: "127.0.0.2")
  }

  @Test("all make the same responses with the same tags")
  func sameAnswers() async throws {
    let home = try await ServedHome(feeds: ["ibotta", "albums", "movies"])
    let clock = SteppedClock()
    let ben = try await home.addUser("Ben", .member)
    let database = home.database.bound(to: ben)
    _ = try await database.setFavorites(named: ["ibotta:900117"], to: true)
    // The search below adds to the recent searches of the page before.
    try await database.noteSearch(RecentSearch(words: "pasta", searchedAt: clock.now))
    let headers: HTTPFields = [
      .cookie: try await home.cookie(of: ben, at: clock.now), .accept: "text/html",
    ]
    let paths = [
      "/", "/favorites", "/household", "/feeds/ibotta", "/feeds/albums", "/offers/ibotta:900117",
      "/changes", "/search", "/search?q=pasta", "/web", "/settings", "/offline", "/sw.js",
      "/api/v1/offers", "/api/v1/offers/ibotta:900117", "/api/v1/offers/ibotta:900117/history",
      "/api/v1/favorites", "/api/v1/household", "/api/v1/changes", "/api/v1/search?q=pasta",
      "/api/v1/searches", "/api/v1/feeds", "/api/v1/feeds/ibotta", "/api/v1/offline",
      "/api/v1/offline/offers?refs=ibotta:900117", "/api/v1/openapi.json", "/api/v1/ready",
    ]
    func ask(_ client: TestClient) async throws -> [APIAnswer] {
      var answers: [APIAnswer] = []
      for path in paths { answers.append(try await client.get(path, headers: headers)) }
      return answers
    }
    let one = try await ask(try home.client(try home.server(clock: clock)))
    let two = try await ask(try home.client(try await Self.other(home, clock: clock)))
    for (path, (one, two)) in zip(paths, zip(one, two)) {
      #expect(one.status == 200, "\(path)")
      #expect(one.text == two.text, "\(path)")
      #expect(one.headers[.eTag] == two.headers[.eTag], "\(path)")
    }
  }

  @Test("a session of one counts at the other, and its end as well")
  func sessions() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    try await home.addUser("Ben", .member)
    let other = try await Self.other(home, clock: clock)
    let client = try home.client(home.server(clock: clock))
    let answer = try await client.form(
      "/login", "name=Ben&passphrase=\(PercentCode.encode(ServedHome.passphrase))")
    let cookie = try #require(answer.session)
    let second = try home.client(other)
    #expect(try await second.by(cookie).get("offers").status == 200)
    #expect(try await client.by(cookie).form("/logout").status == 303)
    #expect(try await second.by(cookie).get("offers").status == 401)
  }

  @Test("failed logins at one count at the other, and a success there forgets them here")
  func attempts() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let second = try await home.store.open()
    let one = LoginGuard(home.database, now: { clock.now }, logger: RecordedLog().logger)
    let two = LoginGuard(second, now: { clock.now }, logger: RecordedLog().logger)
    let client = try #require(Peer("192.0.2.7"))
    let another = try #require(Peer("192.0.2.8"))
    #expect(await two.fail(another) == nil)
    // A guard ignores counts that it reads during a write of its own.
    await two.writeNow()
    for wait in [1.0, 2, 4] {
      #expect(await one.fail(client) == nil)
      clock.advance(by: wait)
    }
    #expect(await one.fail(client) == nil)
    await one.writeNow()
    clock.advance(by: 1)
    #expect(await two.fail(client) == 7)
    await two.succeed(client)
    await two.writeNow()
    clock.advance(by: 1)
    #expect(await one.fail(client) == nil)
    await one.close()
    await two.close()
  }

  @Test("a due feed that the other is syncing is no failure; one that a person asked for is")
  func lockedFeeds() async throws {
    let home = try await ServedHome(feeds: [])
    for (reason, phases) in [
      (SyncReason.due, []), (.asked, [SyncStatus.FeedStatus.Phase.failed]),
    ] {
      let jobs = SyncJobs(syncer: BusySyncer(), now: { .now })
      _ = try await jobs.start(SyncParameters([], reason: reason))
      while jobs.status.phase != .done { await Task.yield() }
      #expect(jobs.status.feeds.map(\.phase) == phases)
      #expect(jobs.status.error == nil)
    }
    withExtendedLifetime(home) {}
  }
}

/// A syncer whose feed another process syncs.
private struct BusySyncer: FeedSyncer {
  func fetchKnownFeeds() -> [KnownFeed] { [] }

  func setInterval(_ everySeconds: Int?, of feed: String) -> Bool { false }

  func sync(
    _ parameters: SyncParameters, progress: @escaping @Sendable (SyncProgress) -> Void,
    finished: @escaping @Sendable (String, Result<SyncRun, OffersError>) -> Void
  ) async throws {
    finished("ibotta", .failure(OffersError(.locked, "Another sync of ibotta is running.")))
  }

  func search(
    _ feed: String, for words: String, page: Int, limit: Int?
  ) async throws -> ServerSearchResults {
    throw OffersError(.sourceFailed, "Nothing came.")
  }
}
