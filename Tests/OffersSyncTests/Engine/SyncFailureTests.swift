import Foundation
import OffersCore
import OffersFeeds
import OffersSQLite
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("How a sync tells that it failed")
struct SyncFailureTests {
  private static func engine(_ database: OffersDatabase, _ web: SimulatedWeb = SimulatedWeb())
    -> SyncEngine
  {
    SyncEngine(
      store: database, now: { Date(timeIntervalSince1970: 2_000) }, jitter: { 1 }, transport: web)
  }

  private static let options = SyncOptions(source: .url("https://feed.example/"))

  @Test("a failed sync throws the error that its run records")
  func throwsFailures() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    let web = SimulatedWeb { _ in SimulatedAnswer(503, [], "") }
    let error = try #require(
      await #expect(throws: OffersError.self) {
        try await Self.engine(home.database, web).sync("ibotta", options: Self.options)
      })
    #expect(error.code == .sourceFailed)
    let last = try await home.feed().lastRun
    #expect(last?.outcome == .failed && last?.error == error)
    #expect(try await home.ids().count == 5)
    await #expect(throws: error) {
      try await Self.engine(home.database, web).preview("ibotta", options: Self.options)
    }
  }

  @Test(
    "held back removals are returned with the command that accepts them, which is still known from the record"
  )
  func returnsWhatIsHeldBack() async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...30))
    let other = try home.folder.write(FeedText.feed(1...2), to: "other.json")
    let run = try await Self.engine(home.database).sync(
      "ibotta", options: SyncOptions(source: .file(other)))
    #expect(run.outcome == .heldBack)
    let error = run.error
    #expect(error?.code == .heldBack)
    #expect(error?.hint?.text == "If that is right, accept the removals.")
    #expect(error?.hint?.command == "offers sync ibotta --from \(other) --accept-removals")
    #expect(try await home.feed().lastRun?.error == error)
    #expect(try await home.ids().count == 30)
    var outcomes: [SyncOutcome] = []
    try await Self.engine(home.database).sync(
      ["ibotta"], options: SyncOptions(source: .file(other))
    ) { _, result in outcomes.append((try? result.get())?.outcome ?? .failed) }
    #expect(outcomes == [.heldBack])
  }

  @Test("a sync of several feeds gives each feed its run or its error")
  func separatesFeeds() async throws {
    let home = try await SyncedFolder()
    let good = try home.folder.write(FeedText.feed(1...5), to: "good.json")
    let bad = try home.folder.write("{", to: "bad.json")
    let engine = SyncEngine(
      store: home.database,
      configuration: try FeedConfiguration(
        yaml: """
          feeds:
            good: {source: "\(good)", items: '', id: id, fields: {name: name}}
            bad: {source: "\(bad)", items: '', id: id, fields: {name: name}}
          """, name: "feeds.yaml"))
    var results: [String: Result<SyncRun, OffersError>] = [:]
    try await engine.sync(["good", "bad", "ugly"]) { results[$0] = $1 }
    #expect(try results["good"]?.get().counts.new == 5)
    for (feed, code) in [("bad", OffersError.Code.malformedFeed), ("ugly", .notFound)] {
      let error = #expect(throws: OffersError.self) { try results[feed]?.get() }
      #expect(error?.code == code)
    }
  }

  @Test(
    "a cancelled sync says so and writes nothing, whatever the server answers",
    arguments: [200, 503, nil], [false, true])
  func passesCancellationOn(status: Int?, isOneOfMany: Bool) async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...5))
    let before = try await home.feed()
    let web = SimulatedWeb { _ in
      withUnsafeCurrentTask { $0?.cancel() }
      return status.map { SimulatedAnswer($0, [], FeedText.feed(2...9)) }
    }
    let engine = Self.engine(home.database, web)
    let task = Task {
      if isOneOfMany {
        try await engine.sync(["ibotta"], options: Self.options) { _, _ in }
      } else {
        _ = try await engine.sync("ibotta", options: Self.options)
      }
    }
    await #expect(throws: OffersError.cancelled) { try await task.value }
    #expect(web.requests.count == 1)
    #expect(try await home.feed() == before)
    #expect(try await home.ids() == (1...5).map(String.init))
  }
}
