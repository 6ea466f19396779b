import OffersCore
import OffersSync
import OffersTestSupport
import Testing

@Suite("HTTP response heads and ends")
struct HTTPHeadTests {
  /// Syncs from a URL that must fail, and checks that the stored offers stay.
  private static func refusal(
    of url: String, limits: FetchLimits = FetchLimits(idleSeconds: 30, totalSeconds: 60),
    allowsPrivateNetwork: Bool = false
  ) async throws -> OffersError {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    let before = try await home.database.fetchOffers(OfferQuery())
    let run = try await home.sync(
      from: url, limits: limits, allowsPrivateNetwork: allowsPrivateNetwork)
    #expect(run.outcome == .failed)
    #expect(try await home.database.fetchOffers(OfferQuery()) == before)
    #expect(try await home.feed().source != url)
    let error = try #require(run.error)
    #expect(error.hint?.text.contains("Nothing was changed") == true)
    return error
  }

  @Test(
    "a response head that never ends is refused by its size, or at the idle limit",
    arguments: [(4000, 0, 30), (1, 100, 1)])
  func endsEndlessHeads(count: Int, pauseMilliseconds: UInt32, idleSeconds: Int64) async throws {
    let line = "X-Filler: \(String(repeating: "x", count: count))\r\n"
    let server = try ScriptedServer([
      .drip(
        Array(line.utf8), after: Array("HTTP/1.1 200 OK\r\n".utf8),
        pauseMilliseconds: pauseMilliseconds)
    ])
    let error = try await Self.refusal(
      of: server.url(), limits: FetchLimits(idleSeconds: idleSeconds, totalSeconds: 60))
    #expect(error.code == .sourceFailed)
    #expect(error.message.hasPrefix(server.url()))
  }

  @Test("a redirect to an unreachable address is reported with the original address")
  func tellsDeadTargets() async throws {
    let server = try ScriptedServer([
      .answer("302 Found", ["Location: http://127.0.0.1:1/offers.json"], "")
    ])
    let error = try await Self.refusal(of: server.url(), allowsPrivateNetwork: true)
    #expect(error.code == .sourceFailed)
    #expect(error.message == "\(server.url()) cannot be reached.")
  }

  @Test("a redirect to a missing document is reported with the redirect's target")
  func tellsMissingTargets() async throws {
    let server = try ScriptedServer([
      .answer("301 Moved Permanently", ["Location: /moved.json"], ""),
      .answer("404 Not Found", [], "<html>"),
    ])
    let error = try await Self.refusal(of: server.url())
    #expect(error.message == "\(server.url("/moved.json")) answered 404 Not Found.")
  }

  @Test(
    "an invalid address is reported as it was typed",
    arguments: [
      "http://", "https://", "http://[", "http://a b/", "http://127.0.0.1:0/",
      "http://127.0.0.1:99999/", "http://no such host.invalid/",
      // Nothing listens there on a test machine.
      "http://127.0.0.1:1/offers.json",
    ])
  func refusesOddAddresses(url: String) async throws {
    let error = try await Self.refusal(of: url)
    #expect(error.code == .sourceFailed)
    #expect(error.message.hasPrefix(url))
  }

  @Test("a document without a declared length ends with the connection, complete or truncated")
  func readsToTheEndOfTheConnection() async throws {
    let text = FeedText.feed(1...9)
    let home = try await SyncedFolder()
    let server = try ScriptedServer([
      .text("HTTP/1.0 200 OK\r\n\r\n\(text)"), .text("HTTP/1.0 200 OK\r\n\r\n\(text.dropLast())"),
    ])
    #expect(try await home.sync(from: server.url()).counts.new == 9)
    let cut = try await home.sync(from: server.url())
    #expect(cut.error?.code == .malformedFeed)
    #expect(try await home.ids().count == 9)
    #expect(try await home.sync(text).outcome == .unchanged)
  }
}
