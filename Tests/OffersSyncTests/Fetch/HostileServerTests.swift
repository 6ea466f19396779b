import OffersCore
import OffersSync
import OffersTestSupport
import Testing

@Suite("Hostile servers")
struct HostileServerTests {
  private static let limits = FetchLimits(
    bodyBytes: 20_000, idleSeconds: 3, totalSeconds: 20)
  private static let feed = FeedText.feed(1...3)

  private static func sync(
    _ steps: [ScriptedServer.Step]
  ) async throws -> (home: SyncedFolder, run: SyncRun, server: ScriptedServer) {
    let home = try await SyncedFolder()
    try await home.sync(feed)
    let server = try ScriptedServer(steps)
    let run = try await home.sync(from: server.url(), limits: limits)
    #expect(try await home.ids() == ["1", "2", "3"])
    return (home, run, server)
  }

  @Test("a Content-Length that is too long is reported as an early close")
  func tellsLongLengths() async throws {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n\(Self.feed)"
    let (_, run, server) = try await Self.sync([.text(text)])
    #expect(run.error?.message == "\(server.url()) closed the connection too early.")
  }

  @Test("a Content-Length that is too short truncates the document, which is reported")
  func tellsShortLengths() async throws {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n\(Self.feed)"
    let (_, run, _) = try await Self.sync([.text(text)])
    #expect(run.outcome == .failed)
    #expect(run.error?.code == .malformedFeed)
  }

  @Test(
    "a contradictory response head is refused",
    arguments: [
      "Content-Length: 10\r\nContent-Length: 20", "Content-Length: -1", "Content-Length: many",
    ])
  func refusesContradictions(lines: String) async throws {
    let (_, run, _) = try await Self.sync([
      .text("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n\(Self.feed)")
    ])
    #expect(run.outcome == .failed)
  }

  @Test("a reset connection is reported", arguments: [false, true])
  func tellsResets(isAmidBody: Bool) async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n[{"
    let (_, run, server) = try await Self.sync([.reset(after: isAmidBody ? head : "")])
    #expect(run.outcome == .failed)
    #expect(run.error?.message.hasPrefix(server.url()) == true)
  }

  @Test("an unsupported content coding is named", arguments: ["br", "zstd", "gzip, gzip"])
  func namesUnknownPackings(coding: String) async throws {
    let (_, run, _) = try await Self.sync([
      .answer("200 OK", ["Content-Encoding: \(coding)"], Self.feed)
    ])
    #expect(run.error?.message.contains("has the unsupported content encoding \(coding)") == true)
  }

  @Test(
    "a content coding that is no compression is passed over, and so is one that is only declared",
    arguments: [
      "aws-chunked", "UTF-8", "none", "identity, x", "aws-chunked, gzip", "GZIP,utf-8", "gzip",
    ])
  func passesOverOtherCodings(coding: String) async throws {
    let (_, run, _) = try await Self.sync([
      .answer("200 OK", ["Content-Encoding: \(coding)"], Self.feed)
    ])
    #expect(run.error == nil)
    #expect(run.outcome == .unchanged)
  }

  @Test("the types of feeds are asked for first, and none of them less than plain JSON")
  func asksForFeeds() async throws {
    let (_, _, server) = try await Self.sync([.answer("200 OK", [], Self.feed)])
    let request = try #require(server.requests.first)
    let line = request.components(separatedBy: "\r\n").first {
      $0.lowercased().hasPrefix("accept:")
    }
    #expect(
      line == "accept: application/feed+json, application/rss+xml, application/atom+xml, "
        + "application/json;q=0.9, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5")
  }

  @Test(
    "a response without a document is refused with its status",
    arguments: [204, 205, 206, 300, 304, 401, 418, 429])
  func refusesOddStatuses(status: Int) async throws {
    let (_, run, _) = try await Self.sync([.answer("\(status) Odd", [], Self.feed)])
    #expect(run.outcome == .failed)
    #expect(run.error?.message.contains("answered \(status)") == true)
  }

  @Test("redirects that lead back to an earlier address are called a circle, and end there")
  func endsCircles() async throws {
    let steps = (0..<6).map {
      ScriptedServer.Step.answer("301 Moved", ["Location: /\($0 % 2)"], "")
    }
    let (_, run, server) = try await Self.sync(steps)
    #expect(
      run.error?.message
        == "\(server.url()) redirects in a circle, back to \(server.url("/0")).")
    #expect(server.requests.count == 3)
  }

  @Test("requests carry the program's user agent, no referrer, and only cookies of their own fetch")
  func asksModestly() async throws {
    let home = try await SyncedFolder()
    let server = try ScriptedServer([
      .answer("302 Found", ["Location: /b", "Set-Cookie: id=1"], ""),
      .answer("200 OK", ["Set-Cookie: id=2"], Self.feed),
      .answer("200 OK", [], Self.feed),
    ])
    try await home.sync(from: server.url())
    try await home.sync(from: server.url())
    #expect(server.requests.count == 3)
    for (index, request) in server.requests.enumerated() {
      let lines = request.lowercased()
      #expect(lines.contains("\r\ncookie: id=1\r\n") == (index == 1))
      #expect(lines.components(separatedBy: "\r\ncookie:").count == (index == 1 ? 2 : 1))
      #expect(!lines.contains("\r\nreferer:"))
      #expect(lines.contains("\r\nuser-agent: offers/"))
    }
  }
}
