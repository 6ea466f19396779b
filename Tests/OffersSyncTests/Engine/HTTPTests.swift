import Foundation
import OffersCore
import OffersFeeds
import OffersSQLite
import OffersStore
import OffersSync
import OffersTestSupport
import Testing

@Suite("Feeds over HTTP")
struct HTTPTests {
  private static let feed = FeedText.feed(1...3)

  @Test("a document is read with and without compression, with a length and in chunks")
  func readsDocuments() async throws {
    let chunks = Self.feed.map { "1\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
    let server = try ScriptedServer([
      .answer("200 OK", ["Content-Type: application/json"], Self.feed),
      .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"),
      .send(
        Array(
          """
          HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(FeedText.compressed.count)\
          \r\n\r\n
          """.utf8) + FeedText.compressed),
    ])
    let home = try await SyncedFolder()
    #expect(try await home.sync(from: server.url()).counts.new == 3)
    #expect(try await home.sync(from: server.url("/2")).outcome == .unchanged)
    let compressed = try await home.sync(from: server.url("/3"))
    #expect(compressed.error == nil)
    #expect(compressed.counts.all == [0, 0, 2, 0, 1, 0])
    #expect(try await home.feed().source == server.url("/3"))
  }

  @Test("redirects are followed, up to five")
  func followsRedirects() async throws {
    let home = try await SyncedFolder()
    let target = try ScriptedServer([.answer("200 OK", [], Self.feed)])
    let server = try ScriptedServer([
      .answer("302 Found", ["Location: /next"], ""),
      .answer("303 See Other", ["Location: third?a=b"], ""),
      .answer("308 Permanent Redirect", ["Location: \(target.url())"], ""),
    ])
    let run = try await home.sync(from: server.url(), allowsPrivateNetwork: true)
    #expect(run.counts.new == 3)
    let long = try ScriptedServer(
      (1...6).map { .answer("301 Moved Permanently", ["Location: /\($0)"], "") })
    let failed = try await home.sync(from: long.url())
    #expect(failed.error?.message == "\(long.url()) redirects more than 5 times.")
    #expect(try await home.feed().source == server.url())
  }

  @Test(
    "every fault of a server is reported with its address, and the offers stay", arguments: Bad.all
  )
  func keepsOffers(bad: Bad) async throws {
    let home = try await SyncedFolder()
    try await home.sync(Self.feed)
    let before = try await home.database.fetchOffers(OfferQuery())
    let server = try ScriptedServer([bad.step])
    let run = try await home.sync(
      from: server.url(),
      limits: FetchLimits(bodyBytes: 2_000, idleSeconds: bad.idleSeconds, totalSeconds: 60))
    #expect(run.outcome == .failed)
    #expect(run.error?.code == bad.code)
    #expect(run.error?.message.contains(bad.says) == true, "\(run.error?.message ?? "")")
    #expect(run.error?.hint?.text.contains("Nothing was changed") == true)
    // A document's error names the place in the document; the run names the source.
    #expect(run.source == server.url())
    #expect(
      run.error?.message.contains(server.url()) == true
        || run.error?.message.hasPrefix("The document") == true)
    #expect(try await home.database.fetchOffers(OfferQuery()) == before)
    let feed = try await home.feed()
    #expect(feed.source != server.url())
    #expect(feed.lastRun?.error == run.error.map(Self.withoutCause))
  }

  /// The error as the database stores it.
  private static func withoutCause(_ error: OffersError) -> OffersError {
    OffersError(error.code, error.message, hint: error.hint)
  }
}

/// A fault of a server, and the expected error.
struct Bad: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let step: ScriptedServer.Step
  let code: OffersError.Code
  let says: String
  /// Short only in cases that the limit ends.
  var idleSeconds: Int64 { testDescription.contains("silen") ? 1 : 30 }

  private init(
    _ name: String, _ step: ScriptedServer.Step, _ code: OffersError.Code = .sourceFailed,
    says: String = "http://127.0.0.1"
  ) {
    testDescription = name
    self.step = step
    self.code = code
    self.says = says
  }

  /// 100,000 spaces as gzip.
  private static let bomb: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 49, 1, 0, 0, 0, 194, 160, 42, 235, 159, 210, 26, 30,
    64, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 175, 6, 45, 240, 121, 202, 160, 134, 1, 0,
  ]

  static let all = [
    Bad("not found", .answer("404 Not Found", [], "no"), .notFound, says: "answered 404"),
    Bad("forbidden", .answer("403 Forbidden", [], "no"), says: "answered 403"),
    Bad("no content", .text("HTTP/1.1 204 No Content\r\n\r\n"), says: "answered 204"),
    Bad("broken", .answer("500 Internal Server Error", [], "[]"), says: "answered 500"),
    Bad(
      "a page", .answer("200 OK", ["Content-Type: text/html"], "<p>"), .malformedFeed,
      says: "web page"),
    Bad("a page in disguise", .answer("200 OK", [], "<html>"), .malformedFeed, says: "web page"),
    Bad("nothing", .answer("200 OK", [], ""), .malformedFeed, says: "empty"),
    Bad("half of it", .answer("200 OK", [], #"[{"id":"1","na"#), .malformedFeed, says: "too early"),
    Bad(
      "a large length", .text("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n["), .limitExceeded,
      says: "more than 2000 bytes"),
    Bad(
      "a large body",
      .drip(
        Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 32, count: 4000),
        pauseMilliseconds: 1),
      .limitExceeded, says: "more than 2000 bytes"),
    Bad(
      "a large body in chunks",
      .drip(
        Array("3e8\r\n\(String(repeating: " ", count: 1000))\r\n".utf8),
        after: Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8),
        pauseMilliseconds: 1),
      .limitExceeded, says: "more than 2000 bytes"),
    Bad(
      "a small body that unpacks to a large one",
      .send(
        Array(
          """
          HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n
          """.utf8) + bomb),
      .limitExceeded, says: "more than 2000 bytes"),
    Bad(
      "what only claims to be compressed",
      .answer("200 OK", ["Content-Encoding: gzip"], "[this is no gzip]"), .malformedFeed,
      says: "not valid JSON"),
    Bad("an early close", .text("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n[")),
    Bad("garbage", .text("\u{1}\u{2}\u{3} nonsense\r\n\r\n")),
    Bad("an immediate close", .send([])),
    Bad("silence", .silence),
    Bad(
      "a redirect to nowhere", .answer("302 Found", [], ""),
      says: "redirects without a valid address"),
    Bad(
      "a redirect to an impossible port",
      .answer("302 Found", ["Location: http://127.0.0.1:99999/"], ""),
      says: "redirects without a valid address"),
    Bad(
      "a redirect to a file", .answer("302 Found", ["Location: file:///etc/passwd"], ""),
      says: "redirects without a valid address"),
  ]
}

@Suite("Slow servers")
struct SlowServerTests {
  @Test(
    "a body that is sent slowly ends at the limit on the total time, one that stalls at the idle limit",
    arguments: [true, false])
  func endsSlowBodies(drips: Bool) async throws {
    let home = try await SyncedFolder()
    try await home.sync(FeedText.feed(1...3))
    let server = try ScriptedServer([
      .drip(
        [32], after: Array("HTTP/1.1 200 OK\r\n\r\n[".utf8), pauseMilliseconds: drips ? 100 : 8_000)
    ])
    let run = try await home.sync(
      from: server.url(),
      limits: FetchLimits(idleSeconds: drips ? 5 : 2, totalSeconds: drips ? 1 : 60))
    #expect(run.error?.code == (drips ? .limitExceeded : .sourceFailed))
    #expect(
      run.error?.message
        == server.url() + (drips ? " took longer than 1 seconds." : " stopped sending."))
    #expect(try await home.ids() == ["1", "2", "3"])
  }

  @Test("a look at a document reads deflate without a header, too")
  func readsRawDeflate() async throws {
    let web = SimulatedWeb { _ in
      var answer = SimulatedAnswer(200, [("Content-Encoding", "deflate")])
      answer.bytes = [
        0x8B, 0xAE, 0x56, 0xCA, 0x4C, 0x51, 0xB2, 0x52, 0x32, 0x54, 0xD2, 0x51, 0xCA, 0x4B, 0xCC,
        0x4D, 0x05, 0x32, 0x43, 0x52, 0x13, 0x95, 0x6A, 0x63, 0x01,
      ]
      return answer
    }
    var text: [UInt8] = []
    _ = try await SyncEngine(
      store: try await OffersDatabase.inMemory(definitions: nil), transport: web
    ).readStart(
      of: [Template(parsing: "https://feed.example/offers.json", for: .source)]
    ) { bytes, _ in
      text += bytes
      return true
    }
    #expect(String(decoding: text, as: UTF8.self) == #"[{"id":"1","name":"Tea"}]"#)
  }
}
