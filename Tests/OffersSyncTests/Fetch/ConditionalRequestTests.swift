import Foundation
import OffersCore
import Testing

@testable import OffersSync

@Suite("Conditional requests")
struct ConditionalRequestTests {
  static let changed = "Thu, 01 Jan 2026 00:00:00 GMT"

  /// A server that supports validators and answers 304 to the current ones.
  private static func server(
    _ body: String, _ headers: [(String, String)]
  ) -> SimulatedWeb.Answer {
    { request in
      let known = headers.contains { name, value in
        let condition = name == "ETag" ? "if-none-match" : "if-modified-since"
        return request.headers.first(name: condition) == value
      }
      return known ? SimulatedAnswer(304) : SimulatedAnswer(200, headers, body)
    }
  }

  @Test(
    "the server's validators are sent back, and a 304 changes nothing",
    arguments: [
      ([("ETag", "\"a1\"")], ["if-none-match": "\"a1\""]),
      ([("ETag", "W/\"a1\"")], ["if-none-match": "W/\"a1\""]),
      ([("Last-Modified", changed)], ["if-modified-since": changed]),
      (
        [("ETag", "\"a1\""), ("Last-Modified", changed)],
        ["if-none-match": "\"a1\"", "if-modified-since": changed]
      ),
    ] as [([(String, String)], [String: String])])
  func asksConditionally(headers: [(String, String)], conditions: [String: String]) async throws {
    let home = try await FetchHome()
    home.web.answer(Self.server(FeedText.feed(1...3), headers))
    #expect(try await home.sync(from: FetchHome.url).counts.new == 3)
    #expect(home.lastConditions.isEmpty)
    home.wait(days: 1)
    let run = try await home.sync()
    #expect(home.lastConditions == conditions)
    #expect(run.outcome == .unchanged)
    #expect(run.counts.unchanged == 3)
    #expect(run.request?.status == 304)
    #expect(run.request?.isConditional == true)
  }

  @Test("two documents of one second are both seen, and the second one's date is sent back later")
  func seesBothOfOneSecond() async throws {
    let home = try await FetchHome()
    func serve(_ ids: ClosedRange<Int>, sentAt date: String) {
      home.web.answer(
        Self.server(FeedText.feed(ids), [("Last-Modified", Self.changed), ("Date", date)]))
    }
    serve(1...3, sentAt: Self.changed)
    #expect(try await home.sync(from: FetchHome.url).counts.new == 3)
    serve(1...4, sentAt: "Thu, 01 Jan 2026 00:00:01 GMT")
    #expect(try await home.sync().counts.new == 1)
    #expect(home.lastConditions.isEmpty)
    #expect(try await home.sync().request?.status == 304)
    #expect(home.lastConditions == ["if-modified-since": Self.changed])
  }

  @Test("new validators of an unchanged document are stored", arguments: [200, 304])
  func takesNewValidators(status: Int) async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(200, [("ETag", "\"a\"")], FeedText.feed(1...3)) }
    try await home.sync(from: FetchHome.url)
    home.web.answer { _ in
      SimulatedAnswer(status, [("ETag", "\"b\"")], status == 200 ? FeedText.feed(1...3) : "")
    }
    #expect(try await home.sync().outcome == .unchanged)
    #expect(home.lastConditions == ["if-none-match": "\"a\""])
    try await home.sync()
    #expect(home.lastConditions == ["if-none-match": "\"b\""])
  }

  @Test("a server that keeps answering 304 gets an unconditional request after eight days")
  func dropsOldValidators() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(200, [("ETag", "\"a\"")], FeedText.feed(1...3)) }
    try await home.sync(from: FetchHome.url)
    home.web.answer { request in
      request.headers.first(name: "if-none-match") != nil
        ? SimulatedAnswer(304) : SimulatedAnswer(200, [("ETag", "\"a\"")], FeedText.feed(1...4))
    }
    for _ in 1...7 {
      home.wait(days: 1)
      #expect(try await home.sync().outcome == .unchanged)
    }
    home.wait(days: 1)
    #expect(try await home.sync().counts.new == 1)
    #expect(home.lastConditions.isEmpty)
    home.wait(days: 1)
    #expect(try await home.sync().outcome == .unchanged)
  }

  @Test("validators of an unreadable document are not stored")
  func keepsNoValidatorsOfABrokenDocument() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(200, [("ETag", "\"good\"")], FeedText.feed(1...3)) }
    try await home.sync(from: FetchHome.url)
    home.web.answer { _ in SimulatedAnswer(200, [("ETag", "\"broken\"")], "[{\"id\":") }
    #expect(try await home.sync().outcome == .failed)
    try await home.sync()
    #expect(home.lastConditions == ["if-none-match": "\"good\""])
    #expect(try await home.ids() == ["1", "2", "3"])
  }

  @Test("a 304 to an unconditional request is an error")
  func refusesUnaskedNotModified() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(304) }
    let run = try await home.sync(from: FetchHome.url)
    #expect(run.outcome == .failed)
    #expect(run.error?.message.contains("answered 304") == true)
  }

  @Test("validators are valid only for their address and rules")
  func tiesValidatorsToTheirSource() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(200, [("ETag", "\"a\"")], FeedText.feed(1...3)) }
    try await home.sync(from: FetchHome.url)
    try await home.sync(from: "https://other.example/offers.json")
    #expect(home.lastConditions.isEmpty)
    let yaml = """
      feeds:
        ibotta: {source: "https://other.example/offers.json", items: "", id: id, fields: {name: id}}
      """
    let other = try home.engine(yaml)
    let run = try await other.run("ibotta")
    #expect(home.lastConditions.isEmpty)
    #expect(run.counts.changed == 3)
  }

  @Test("validators are sent only to the address that they came from")
  func tiesValidatorsToTheirAddress() async throws {
    let home = try await FetchHome()
    // Both documents have the same entity tag.
    for (target, ids) in [("https://a.example/x", 1...3), ("https://b.example/y", 2...4)] {
      home.web.answer { request in
        if request.url.absoluteString == FetchHome.url {
          return SimulatedAnswer(302, [("Location", target)])
        }
        return request.headers.first(name: "if-none-match") == nil
          ? SimulatedAnswer(200, [("ETag", "\"1\"")], FeedText.feed(ids)) : SimulatedAnswer(304)
      }
      try await home.sync(from: FetchHome.url)
      #expect(try await home.ids() == ids.map(String.init))
    }
    #expect(try await home.sync().request?.status == 304)
  }

  @Test("a feed that is subscribed again gets an unconditional request")
  func forgetsGivenUpFeeds() async throws {
    let home = try await FetchHome()
    home.web.answer(Self.server(FeedText.feed(1...3), [("ETag", "\"1\"")]))
    try await home.sync(from: FetchHome.url)
    _ = try await home.database.unsubscribe(from: "ibotta")
    let path = try home.folder.write(FeedText.feed(2...3), to: "feed.json")
    try await home.sync(from: path)
    #expect(try await home.ids() == ["2", "3"])
    try await home.sync(from: FetchHome.url)
    #expect(try await home.ids() == ["1", "2", "3"])
  }

  @Test("a document whose removals are held back is not downloaded again to confirm them")
  func asksConditionallyWhileHeld() async throws {
    for accepts in [false, true] {
      let home = try await FetchHome()
      home.web.answer { _ in SimulatedAnswer(200, [("ETag", "\"all\"")], FeedText.feed(1...30)) }
      try await home.sync(from: FetchHome.url)
      home.web.answer(Self.server(FeedText.feed(1...5), [("ETag", "\"few\"")]))
      #expect(try await home.sync().held?.missingCount == 25)
      let again = try await home.sync()
      #expect(again.held?.missingCount == 25)
      #expect(again.request?.status == 304)
      #expect(try await home.ids().count == 30)
      #expect(try await home.fetch().held?.missingCount == 25)
      if !accepts { home.wait(hours: 6) }
      let last = try await home.sync(acceptsRemovals: accepts)
      #expect(last.request?.status == (accepts ? 200 : 304))
      #expect(last.outcome == .updated && last.counts.all == [0, 0, 25, 0, 5, 0])
      #expect(try await home.fetch().held == nil)
      #expect(try await home.ids().count == 5)
      #expect(try await home.sync().outcome == .unchanged)
    }
  }
}
