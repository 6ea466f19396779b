import Foundation
import OffersCore
import Testing

@testable import OffersSync

@Suite("Feeds that move")
struct MovedFeedTests {
  private static let new = "https://new.example/offers.json"

  /// The old address redirects, the new one has the feed.
  private static func moved(_ status: Int, to target: String = new) -> SimulatedWeb.Answer {
    { request in
      request.url.absoluteString == target
        ? SimulatedAnswer(200, [], FeedText.feed(1...3))
        : SimulatedAnswer(status, [("Location", target)])
    }
  }

  @Test("a permanent move is believed after three syncs, and the old address is kept")
  func adoptsPermanentMoves() async throws {
    let home = try await FetchHome()
    home.web.answer(Self.moved(301))
    try await home.sync(from: FetchHome.url)
    for _ in 2...3 { try await home.sync() }
    #expect(home.web.requests.count == 6)
    let run = try await home.sync()
    #expect(run.outcome == .unchanged)
    #expect(home.web.requests.count == 7)
    #expect(home.web.requests.last?.url.absoluteString == Self.new)
    let state = try await home.database.findSyncState(of: "ibotta")
    #expect(state?.source?.text == FetchHome.url)
    #expect(state?.fetch.findNewAddress(of: FetchHome.url) == Self.new)
  }

  @Test("a temporary move is followed each time", arguments: [302, 303, 307])
  func followsTemporaryMoves(status: Int) async throws {
    let home = try await FetchHome()
    home.web.answer(Self.moved(status))
    try await home.sync(from: FetchHome.url)
    for _ in 1...4 { try await home.sync() }
    #expect(home.web.requests.count == 10)
  }

  @Test("a move that is not said three times in a row is not believed")
  func wantsConsistency() async throws {
    let home = try await FetchHome()
    home.web.answer(Self.moved(301))
    try await home.sync(from: FetchHome.url)
    try await home.sync()
    // A captive portal: it redirects everybody to its page.
    home.web.answer { request in
      request.url.absoluteString.contains("portal")
        ? SimulatedAnswer(200, [("Content-Type", "text/html")], "<html>Please log in</html>")
        : SimulatedAnswer(301, [("Location", "https://portal.example/login")])
    }
    #expect(try await home.sync().outcome == .failed)
    home.web.answer(Self.moved(301))
    try await home.sync()
    try await home.sync()
    #expect(try await home.fetch().findNewAddress(of: FetchHome.url) == nil)
    try await home.sync()
    #expect(try await home.fetch().findNewAddress(of: FetchHome.url) == Self.new)
  }

  @Test("a new address that fails, or is gone, is given up for the old one", arguments: [404, 410])
  func fallsBack(status: Int) async throws {
    let home = try await FetchHome()
    home.web.answer(Self.moved(308))
    try await home.sync(from: FetchHome.url)
    for _ in 1...3 { try await home.sync() }
    home.web.answer { request in
      request.url.absoluteString == FetchHome.url
        ? SimulatedAnswer(200, [], FeedText.feed(1...4)) : SimulatedAnswer(status)
    }
    #expect(try await home.sync().outcome == .failed)
    #expect(try await home.fetch().stoppedAt == nil)
    #expect(try await home.sync().counts.new == 1)
    #expect(home.web.requests.last?.url.absoluteString == FetchHome.url)
  }

  @Test("where a further page has moved to is not where the feed has")
  func ignoresMovedPages() async throws {
    let home = try await FetchHome()
    let yaml = """
      feeds:
        pg:
          source: https://feed.example/p1
          items: items
          id: id
          fields: {name: name}
          pages: {next: next}
      """
    home.web.answer { request in
      switch request.url.absoluteString {
      case "https://feed.example/p1":
        SimulatedAnswer(200, [], #"{"items":[{"id":1,"name":"A"}],"next":"/p2"}"#)
      case "https://feed.example/p2": SimulatedAnswer(301, [("Location", "/p2new")])
      default: SimulatedAnswer(200, [], #"{"items":[{"id":2,"name":"B"}]}"#)
      }
    }
    let engine = try home.engine(yaml)
    for _ in 1...4 { _ = try await engine.run("pg") }
    #expect(try await home.ids() == ["1", "2"])
  }

  @Test("only what permanent redirects alone lead to is the new address")
  func stopsAtTemporaryHops() async throws {
    let home = try await FetchHome()
    home.web.answer { request in
      switch request.url.absoluteString {
      case FetchHome.url: SimulatedAnswer(301, [("Location", Self.new)])
      case Self.new: SimulatedAnswer(302, [("Location", "https://today.example/o.json")])
      default: SimulatedAnswer(200, [], FeedText.feed(1...3))
      }
    }
    try await home.sync(from: FetchHome.url)
    for _ in 1...2 { try await home.sync() }
    #expect(try await home.fetch().findNewAddress(of: FetchHome.url) == Self.new)
  }

  @Test("an address with a secret in it is never stored as the new one")
  func keepsSecretsOut() async throws {
    let home = try await FetchHome()
    let yaml = """
      feeds:
        shop: {source: "https://a.example/o?key={env:SHOP_KEY}", items: "", id: id, fields: {name: name}}
      """
    home.web.answer { request in
      request.url.absoluteString.contains("a.example")
        ? SimulatedAnswer(301, [("Location", "https://b.example/o?key=geheim")])
        : SimulatedAnswer(200, [("ETag", "\"x\"")], FeedText.feed(1...3))
    }
    let engine = try home.engine(yaml, variables: ["SHOP_KEY": "geheim"])
    for _ in 1...4 { _ = try await engine.run("shop") }
    let state = try await home.database.findSyncState(of: "shop")
    #expect(state?.fetch.movedTo == nil)
    #expect(state?.fetch.validatedMark?.count == 32)
  }

  @Test("a redirect from TLS to plain text is refused")
  func staysEncrypted() async throws {
    let home = try await FetchHome()
    home.web.answer(Self.moved(301, to: "http://feed.example/offers.json"))
    let run = try await home.sync(from: FetchHome.url)
    #expect(run.outcome == .failed)
    #expect(run.error?.message.contains("unencrypted http://feed.example") == true)
    #expect(home.web.requests.count == 1)
  }
}
