import Foundation
import OffersCore
import Testing

@testable import OffersSync

@Suite("Fetch schedule and back-off")
struct FetchPatienceTests {
  private static let feed = FeedText.feed(1...3)

  /// A database whose feed was synced some time ago from a server that still answers.
  private static func synced(hoursAgo hours: Double = 0) async throws -> FetchHome {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(200, [], feed) }
    try await home.sync(from: FetchHome.url)
    home.wait(hours: hours)
    return home
  }

  @Test("a feed is due once its interval has passed, or a few seconds before")
  func waitsForTheInterval() async throws {
    let home = try await Self.synced(hoursAgo: 23)
    let early = try await home.sync(.due)
    #expect(early.outcome == .skipped)
    #expect(early.skip == .fresh(until: home.now.addingTimeInterval(3600)))
    #expect(home.web.requests.count == 1)
    home.wait(hours: 1 - 4.0 / 3600)
    let due = try await home.sync(.due)
    #expect(due.outcome == .unchanged)
    #expect(due.request?.reason == .due)
    #expect(due.nextDueAt == home.now.addingTimeInterval(86_400))
  }

  @Test("a failed trial of another source does not delay the feed")
  func triesOtherSources() async throws {
    let home = try await Self.synced(hoursAgo: 23)
    home.web.answer { _ in SimulatedAnswer(404) }
    #expect(try await home.sync(from: "https://feed.example/other.json").outcome == .failed)
    home.web.answer { _ in SimulatedAnswer(200, [], Self.feed) }
    let early = try await home.sync(.due)
    #expect(early.skip == .fresh(until: home.now.addingTimeInterval(3600)))
    home.wait(hours: 1)
    #expect(try await home.sync(.due).outcome == .unchanged)
  }

  @Test("the last run of a failing feed stays its own failure when another source fails, too")
  func keepsTheFeedsFailure() async throws {
    let home = try await Self.synced(hoursAgo: 24)
    home.web.answer { _ in SimulatedAnswer(503) }
    let failed = try await home.sync(.due)
    #expect(failed.outcome == .failed)
    home.wait(hours: 48)
    home.web.answer { _ in SimulatedAnswer(404) }
    #expect(try await home.sync(from: "https://feed.example/mistyped.json").outcome == .failed)
    let feed = try #require(try await home.database.fetchFeeds().first { $0.name == failed.feed })
    #expect(feed.lastRun?.error?.message == failed.error?.message)
    #expect(feed.stopText(at: home.now) == nil, "one failure, and no attempt since")
    home.web.answer { _ in SimulatedAnswer(503) }
    #expect(try await home.sync(.due).outcome == .failed)
    let stopped = try #require(
      try await home.database.fetchFeeds().first { $0.name == failed.feed })
    #expect(stopped.stopText(at: home.now)?.hasPrefix("stopped on") == true)
  }

  @Test(
    "a server can extend the interval up to twice its length, and not shorten it",
    arguments: [
      ("Cache-Control", "max-age=600", 24.0), ("Cache-Control", "no-store", 24),
      ("Cache-Control", "max-age=129600", 36), ("Cache-Control", "max-age=504576000", 48),
      ("Expires", "Fri, 02 Jan 2026 12:00:00 GMT", 36), ("Expires", "0", 24),
    ])
  func honoursFreshness(name: String, value: String, hours: Double) async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(200, [(name, value)], Self.feed) }
    let run = try await home.sync(from: FetchHome.url)
    #expect(run.nextDueAt == home.now.addingTimeInterval(hours * 3600))
  }

  @Test("a feed's own TTL is honoured like the server's freshness")
  func honoursTimeToLive() async throws {
    let home = try await FetchHome()
    let yaml = """
      feeds:
        news:
          source: https://feed.example/news.rss
          every: 1h
          ttl: rss.channel.ttl
          items: rss.channel.item
          id: guid
          fields: {name: title}
      """
    home.web.answer { _ in
      SimulatedAnswer(
        200, [],
        "<rss><channel><ttl>90</ttl><item><guid>1</guid><title>A</title></item></channel></rss>")
    }
    let engine = try home.engine(yaml)
    let run = try await engine.run("news")
    #expect(run.counts.new == 1)
    #expect(run.nextDueAt == home.now.addingTimeInterval(90 * 60))
  }

  @Test(
    "Retry-After is stored and honoured in both forms",
    arguments: [
      (429, "7200", 2.0), (503, "7200", 2), (429, "Thu, 01 Jan 2026 02:00:00 GMT", 2),
      (503, "Thu, 01 Jan 2026 02:00:00 GMT", 2), (503, "99999999", 168),
    ])
  func honoursRetryAfter(status: Int, value: String, hours: Double) async throws {
    let home = try await Self.synced()
    home.web.answer { _ in SimulatedAnswer(status, [("Retry-After", value)]) }
    #expect(try await home.sync().outcome == .failed)
    home.web.answer { _ in SimulatedAnswer(200, [], Self.feed) }
    let until = home.now.addingTimeInterval(hours * 3600)
    home.wait(hours: hours - 0.001)
    // A manual sync waits, too, unless it is forced.
    for reason in [SyncReason.asked, .due] {
      #expect(try await home.sync(reason).skip == .wait(until: until))
    }
    #expect(home.web.requests.count == 2)
    #expect(try await home.sync(.forced).outcome == .unchanged)
    home.wait(hours: 0.002)
    #expect(try await home.sync().outcome == .unchanged)
  }

  @Test("Retry-After of a feed that never succeeded is stored without subscribing to it")
  func honoursRetryAfterOfNewFeeds() async throws {
    let home = try await FetchHome()
    let engine = try home.engine(
      """
      feeds:
        shop:
          source: https://feed.example/shop.json
          items: ""
          id: id
          fields: {name: name}
      """)
    home.web.answer { _ in SimulatedAnswer(429, [("Retry-After", "7200")]) }
    #expect(try await engine.run("shop").outcome == .failed)
    let until = home.now.addingTimeInterval(7200)
    #expect(try await engine.run("shop").skip == .wait(until: until))
    #expect(home.web.requests.count == 1)
    #expect(try await home.database.fetchSubscribedFeeds() == ["ibotta"])
    await #expect(throws: OffersError.self) {
      try await home.database.fetchOffers(OfferQuery(feed: "shop"))
    }
    home.wait(hours: 2)
    home.web.answer { _ in SimulatedAnswer(200, [], #"[{"id":1,"name":"Tea"}]"#) }
    #expect(try await engine.run("shop").counts.new == 1)
    #expect(try await home.database.fetchSubscribedFeeds() == ["shop"])
    #expect(try await home.database.findSyncState(of: "shop")?.fetch.failureCount == 0)
  }

  @Test("a forced sync does not shorten a wait that the server requested")
  func keepsRetryAfter() async throws {
    let home = try await Self.synced()
    home.web.answer { _ in SimulatedAnswer(429, [("Retry-After", "86400")]) }
    try await home.sync()
    let until = home.now.addingTimeInterval(86_400)
    home.wait(hours: 1)
    home.web.answer { _ in SimulatedAnswer(500) }
    #expect(try await home.sync(.forced).outcome == .failed)
    #expect(try await home.sync().skip == .wait(until: until))
    // Naming the remembered source does not bypass the wait.
    #expect(try await home.sync(from: FetchHome.url).skip == .wait(until: until))
  }

  @Test("a shortened interval applies at once")
  func takesShorterIntervals() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(200, [], Self.feed) }
    func engine(_ every: String) throws -> SyncEngine {
      let yaml = """
        feeds:
          shop: {source: "\(FetchHome.url)", every: \(every), items: "", id: id, fields: {name: name}}
        """
      return try home.engine(yaml)
    }
    _ = try await engine("7d").run("shop")
    home.wait(hours: 1)
    let due = SyncOptions(reason: .due)
    #expect(try await engine("7d").run("shop", options: due).outcome == .skipped)
    #expect(try await engine("1h").run("shop", options: due).outcome == .unchanged)
  }

  @Test("waits after failures double from 1 hour to 7 days, and a success resets them")
  func backsOff() async throws {
    let home = try await Self.synced()
    home.web.answer { _ in SimulatedAnswer(500) }
    let first = home.now
    for hours in [1.0, 2, 4, 8, 16, 32, 64, 128, 168, 168] {
      let run = try await home.sync()
      #expect(run.outcome == .failed)
      #expect(run.nextDueAt == home.now.addingTimeInterval(hours * 3600))
      home.wait(hours: hours * 0.9)
      let early = try await home.sync(.due)
      guard case .backOff = early.skip else {
        Issue.record("\(early)")
        return
      }
      home.wait(hours: hours * 0.1)
    }
    let failing = try await home.fetch()
    #expect(failing.failureCount == 10)
    #expect(failing.failingSince == first)
    home.web.answer { _ in SimulatedAnswer(200, [], Self.feed) }
    #expect(try await home.sync(.due).outcome == .unchanged)
    let state = try await home.fetch()
    #expect(state.failureCount == 0)
    #expect(state.failingSince == nil)
  }

  @Test("a wait after a failure varies by 20 % in both directions")
  func spreadsWaits() {
    let now = Date(timeIntervalSince1970: 1_767_225_600)
    for jitter in [0.8, 1, 1.2] {
      let schedule = FetchSchedule(everySeconds: 86_400, jitter: jitter)
      let state = schedule.afterFailure(FetchState(), nil, now: now)
      #expect(state.nextDueAt == now.addingTimeInterval(3600 * jitter))
    }
  }

  @Test("after 410 Gone a feed is not requested again until a sync is forced")
  func stopsWhenGone() async throws {
    let home = try await Self.synced()
    home.web.answer { _ in SimulatedAnswer(410) }
    let run = try await home.sync()
    #expect(run.error?.hint?.command == "offers sync ibotta --force")
    let stopped = home.now
    home.wait(days: 60)
    for reason in [SyncReason.asked, .due] {
      #expect(try await home.sync(reason).skip == .stopped(since: stopped))
    }
    #expect(home.web.requests.count == 2)
    home.web.answer { _ in SimulatedAnswer(200, [], Self.feed) }
    #expect(try await home.sync(.forced).outcome == .unchanged)
    home.wait(days: 1)
    #expect(try await home.sync(.due).outcome == .unchanged)
    #expect(try await home.ids() == ["1", "2", "3"])
  }

  @Test("an unreadable file is subject to back-off, too")
  func backsOffFromFiles() async throws {
    let home = try await FetchHome()
    let path = try home.folder.write(Self.feed, to: "feed.json")
    try await home.sync(from: path)
    try home.folder.write("[", to: "feed.json")
    home.wait(days: 1)
    #expect(try await home.sync(.due).outcome == .failed)
    home.wait(hours: 0.5)
    #expect(try await home.sync(.due).outcome == .skipped)
    try home.folder.write(Self.feed, to: "feed.json")
    home.wait(hours: 0.5)
    #expect(try await home.sync(.due).outcome == .unchanged)
  }

  @Test("a source other than the remembered one ignores the remembered waits")
  func asksOtherSources() async throws {
    let home = try await Self.synced()
    home.web.answer { _ in SimulatedAnswer(410) }
    try await home.sync()
    home.web.answer { _ in SimulatedAnswer(200, [], Self.feed) }
    #expect(try await home.sync(from: "https://new.example/o.json").outcome == .unchanged)
    #expect(try await home.fetch().stoppedAt == nil)
  }
}
