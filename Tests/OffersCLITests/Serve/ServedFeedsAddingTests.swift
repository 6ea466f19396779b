import Foundation
import OffersCore
import OffersSync
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("Feeds that are added by the server")
struct ServedFeedsAddingTests {
  private static let tea = """
    {"title":"Tea Shop","products":[
      {"sku":"a-1","title":"Green Tea","price":{"amount":"3.50","currency":"USD"}},
      {"sku":"a-2","title":"Black Tea","price":{"amount":"2.50","currency":"USD"}}]}
    """

  private static func feeds(
    _ home: Home, allowsPrivateNetwork: Bool = true
  ) async throws -> ServedFeeds {
    ServedFeeds(
      database: try await home.store.open(),
      configurationPath: SettingPath(text: home.folder.file("feeds.yaml"), origin: .option),
      allowsPrivateNetwork: allowsPrivateNetwork, log: Log())
  }

  private static func server(_ bodies: String...) throws -> ScriptedServer {
    try ScriptedServer(bodies.map { .answer("200 OK", [], $0) })
  }

  @Test("a proposal is what feeds add guesses, and is added as it was shown")
  func addsWhatItShows() async throws {
    let home = try Home()
    let server = try Self.server(Self.tea, Self.tea, Self.tea)
    let feeds = try await Self.feeds(home)
    let found = try await feeds.propose(source: server.url("/list.json"), name: nil)
    #expect(found.name == "tea-shop")
    #expect(found.title == "Tea Shop")
    #expect(found.recordCount == 2)
    #expect(found.offerCount == 2)
    #expect(found.offers.map(\.name) == ["Green Tea", "Black Tea"])
    #expect(found.fields.first { $0.name == "name" }?.from == "title")
    #expect(try await feeds.database.fetchDefinitions() == [])
    let guessed = try home.offers(
      "feeds", "guess", server.url("/list.json"), "--name", "tea-shop")
    #expect(
      found.definition.replacing("    public-only: true\n", with: "") == guessed.output)

    try await feeds.add(found, name: "leaves", title: "Fine leaves")
    // Other servers over the same database have the feed at once.
    let others = try await Self.feeds(home)
    for feeds in [feeds, others] {
      let known = try await feeds.fetchKnownFeeds().first { $0.name == "leaves" }
      #expect(known?.title == "Fine leaves")
    }
    #expect(
      try await feeds.database.fetchDefinitions().first?.text?.contains(
        "  leaves:\n    title: Fine leaves\n    source: \(server.url("/list.json"))\n    public-only: true\n"
      ) == true)
  }

  @Test("a look at a document that takes too long is ended, and says so")
  func deadline() async throws {
    let error = await #expect(throws: OffersError.self) {
      // Work that never waits, and that only its cancellation ends.
      try await FeedGuess.inTime(seconds: 0.001) { while true { try Task.checkCancellation() } }
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("took longer than") == true)
  }

  @Test("a feed without a title is named after its document, and never like another")
  func names() async throws {
    let home = try Home()
    let list = #"[{"id":"1","name":"Tea"},{"id":"2","name":"Jam"}]"#
    let server = try Self.server(list, list, list, list)
    let feeds = try await Self.feeds(home)
    let first = try await feeds.propose(source: server.url("/deals.json"), name: nil)
    #expect(first.name == "deals")
    #expect(first.title == nil)
    try await feeds.add(first, name: first.name, title: nil)
    let second = try await feeds.propose(source: server.url("/deals.json?page=2"), name: nil)
    #expect(second.name == "deals-2")
    await #expect(throws: OffersError.self) {
      try await feeds.add(second, name: "deals", title: nil)
    }
    await #expect(throws: OffersError.self) {
      try await feeds.add(second, name: "Deals", title: nil)
    }
    await #expect(throws: OffersError.self) {
      try await feeds.add(second, name: "deals-2", title: "two\nlines")
    }
    #expect(try await feeds.fetchKnownFeeds().filter { $0.name.hasPrefix("deals") }.count == 1)
  }

  @Test("the private network is not read without --allow-private-network, nor is a file")
  func guardsNetwork() async throws {
    let home = try Home()
    let server = try Self.server(Self.tea)
    let feeds = try await Self.feeds(home, allowsPrivateNetwork: false)
    let file = try home.folder.write(Self.tea, to: "tea.json")
    for source in [
      server.url(), server.url().replacing("127.0.0.1", with: "localhost"), file, "-", "sample",
      server.url("/?key={env:HOME}"),
    ] {
      let error = await #expect(throws: OffersError.self, "\(source)") {
        try await feeds.propose(source: source, name: nil)
      }
      #expect(
        error?.hint?.text.hasPrefix("On the server's own machine: offers feeds add NAME ") == true,
        "\(error?.hint?.text ?? "none")")
    }
    #expect(server.requests.isEmpty)
  }

  @Test("an added feed stays limited to the public internet in later syncs, until named here")
  func staysPublic() async throws {
    let home = try Home()
    let server = try Self.server(Self.tea, Self.tea, Self.tea, Self.tea)
    let feeds = try await Self.feeds(home)
    let found = try await feeds.propose(source: server.url(), name: nil)
    try await feeds.add(found, name: "tea", title: nil)
    let config = ["--config", home.folder.file("feeds.yaml")]
    let refused = try home.offers(["sync", "tea"] + config)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("which is not on the public internet"), "\(refused.errors)")
    #expect(server.requests.count == 1)
    let named = try home.offers(["sync", "tea", "--from", server.url()] + config)
    #expect(named.status == 0, "\(named.errors)")
    let again = try home.offers(["sync", "tea"] + config)
    #expect(again.status == 0, "\(again.errors)")
    #expect(server.requests.count == 3)
  }

  @Test("a source that cannot be read as a feed is refused with the reason")
  func refuses() async throws {
    let home = try Home()
    let feeds = try await Self.feeds(home)
    let documents: [(text: String, code: OffersError.Code)] = [
      ("<!DOCTYPE html><html><body>Hello</body></html>", .malformedFeed),
      (#"{"items":[]}"#, .unexpectedShape), ("nothing at all", .malformedFeed),
    ]
    for (text, code) in documents {
      let server = try Self.server(text)
      let error = await #expect(throws: OffersError.self) {
        try await feeds.propose(source: server.url(), name: nil)
      }
      #expect(error?.code == code, "\(error?.message ?? "")")
    }
    let error = await #expect(throws: OffersError.self) {
      try await feeds.propose(source: "http://127.0.0.1:9/", name: nil)
    }
    #expect(error?.code == .sourceFailed)
    #expect(try await feeds.database.fetchDefinitions() == [])
  }
}
