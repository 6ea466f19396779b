import Foundation
import OffersCore
import OffersSQLite
import OffersStore
import Testing

@testable import OffersSync

@Suite("Several nodes that refresh from one database")
struct SharedRefreshTests {
  /// The engines of two nodes, each with connections of its own.
  private static func engines(_ home: FetchHome) async throws -> [SyncEngine] {
    let other = try await OffersDatabase.open(path: home.database.place)
    return [
      home.engine,
      SyncEngine(store: other, now: { home.now }, jitter: { 1 }, transport: home.web),
    ]
  }

  /// Syncs the feed if it is due, on all nodes at once.
  ///
  /// - Returns: why nodes skipped it, and how the others' runs ended.
  private static func refresh(
    _ engines: [SyncEngine]
  ) async throws -> (skips: [String], outcomes: [SyncOutcome]) {
    try await withThrowingTaskGroup(of: SyncRun.self) { group in
      for engine in engines {
        group.addTask { try await engine.run("ibotta", options: SyncOptions(reason: .due)) }
      }
      var (skips, outcomes): ([String], [SyncOutcome]) = ([], [])
      for try await run in group {
        if let skip = run.skip { skips.append(skip.name) } else { outcomes.append(run.outcome) }
      }
      return (skips, outcomes)
    }
  }

  @Test("a due feed is fetched once an interval, whichever node comes first")
  func fetchesOnce() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(200, [], FeedText.feed(1...20)) }
    try await home.sync(from: FetchHome.url)
    let engines = try await Self.engines(home)
    for interval in 1...5 {
      home.wait(hours: 12)
      #expect(try await Self.refresh(engines).skips == ["fresh", "fresh"])
      home.wait(hours: 12)
      let (skips, outcomes) = try await Self.refresh(engines)
      #expect(skips == ["fresh"])
      #expect(outcomes == [.unchanged])
      #expect(home.web.requests.count == 1 + interval)
    }
  }

  @Test("the back-off after a failure, and the wait that a server requested, hold on all nodes")
  func backsOff() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(200, [], FeedText.feed(1...20)) }
    try await home.sync(from: FetchHome.url)
    let engines = try await Self.engines(home)
    home.wait(days: 1)
    home.web.answer { _ in SimulatedAnswer(500) }
    for wait in [1.0, 2, 4] {
      let (skips, outcomes) = try await Self.refresh(engines)
      #expect((skips, outcomes) == (["back_off"], [.failed]))
      home.wait(hours: wait)
    }
    #expect(home.web.requests.count == 4)
    home.web.answer { _ in SimulatedAnswer(429, [("Retry-After", "180000")]) }
    #expect(try await Self.refresh(engines).skips == ["server_wait"])
    home.wait(hours: 49)
    #expect(try await Self.refresh(engines).skips == ["server_wait", "server_wait"])
    #expect(home.web.requests.count == 5)
  }
}
