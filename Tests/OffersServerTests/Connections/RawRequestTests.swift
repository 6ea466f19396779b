import Foundation
import NIOCore
import OffersTestSupport
import Testing

@testable import OffersServer

@Suite("Requests over raw connections")
struct RawRequestTests {
  /// The statuses of all responses in a text.
  private static func statuses(_ text: String) -> [String] {
    text.matches(of: #/HTTP/1\.1 (\d\d\d)/#).map { String($0.output.1) }
  }

  private static let json = "Content-Type: application/json\r\n"

  /// Requests whose end a proxy and this server could see at different places (request smuggling).
  private static let ambiguous: [(name: String, request: String)] = [
    (
      "two lengths",
      "POST /api/v1/sync HTTP/1.1\r\nHOST" + json
        + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"
    ),
    (
      "a list of lengths",
      "POST /api/v1/sync HTTP/1.1\r\nHOST" + json + "Content-Length: 2, 2\r\n\r\n{}"
    ),
    (
      "a length and chunks",
      "POST /api/v1/sync HTTP/1.1\r\nHOST" + json
        + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    (
      "chunks and a length",
      "POST /api/v1/sync HTTP/1.1\r\nHOST" + json
        + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"
    ),
    (
      "an odd encoding",
      "POST /api/v1/sync HTTP/1.1\r\nHOST" + json + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"
    ),
    (
      "two encodings",
      "POST /api/v1/sync HTTP/1.1\r\nHOST" + json
        + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"
    ),
    (
      "a folded field",
      "GET /api/v1/health HTTP/1.1\r\nHOSTX-A: b\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    (
      "a space before a colon",
      "POST /api/v1/sync HTTP/1.1\r\nHOST" + json + "Content-Length : 2\r\n\r\n{}"
    ),
    (
      "a length below zero",
      "POST /api/v1/sync HTTP/1.1\r\nHOST" + json + "Content-Length: -1\r\n\r\n"
    ),
    (
      "a length past all bounds",
      "POST /api/v1/sync HTTP/1.1\r\nHOST" + json + "Content-Length: 99999999999999999999\r\n\r\n"
    ),
    (
      "an invalid chunk size",
      "POST /api/v1/sync HTTP/1.1\r\nHOST" + json
        + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"
    ),
    ("two hosts", "GET /api/v1/health HTTP/1.1\r\nHOSTHost: evil.example\r\n\r\n"),
    ("no host", "GET /api/v1/health HTTP/1.1\r\n\r\n"),
    ("line ends without returns", "GET /api/v1/health HTTP/1.1\nX: y\n\n"),
    ("no HTTP", "\u{16}\u{3}\u{1} hello\r\n\r\n"),
    ("a null in a field", "GET /api/v1/health HTTP/1.1\r\nHOSTX: a\0b\r\n\r\n"),
  ]

  @Test(
    "an ambiguous request is refused and closes its connection, without reading what follows")
  func smuggling() async throws {
    let home = try await ServedHome(feeds: [])
    try await LiveServer.run(try home.server(port: 0)) { server in
      for (name, request) in Self.ambiguous {
        let hidden = "GET /api/v1/sync HTTP/1.1\r\n\(server.host)\r\n"
        let answer = try await server.exchange(
          request.replacing("HOST", with: server.host) + hidden)
        let statuses = Self.statuses(answer)
        #expect(statuses.count == 1, "\(name): \(statuses)")
        #expect(["400", "501"].contains(statuses.first), "\(name): \(statuses)")
        #expect(answer.contains("Content-Security-Policy: default-src 'none'"), "\(name)")
      }
    }
  }

  @Test(
    "a malformed body gets one response, whether the request is answered with it or without it",
    arguments: [
      ("GET /api/v1/health", "", "200"), ("POST /login", "Origin: http://evil.example\r\n", "403"),
      ("POST /api/v1/sync", json, "400"),
    ])
  func malformedBody(request: String, fields: String, status: String) async throws {
    let home = try await ServedHome(feeds: [])
    try await LiveServer.run(try home.server(port: 0)) { server in
      let answer = try await server.exchange(
        "\(request) HTTP/1.1\r\n\(server.host)\(fields)Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"
      )
      #expect(Self.statuses(answer) == [status])
    }
  }

  @Test(
    "a target that is no path is refused, such as a URL, whose host a proxy could have routed by",
    arguments: [
      "http://127.0.0.1:PORT/api/v1/health", "http://evil.example/api/v1/health",
      "http://127.0.0.1:PORT@evil.example/api/v1/health", "evil.example:80", "*",
      "http:/api/v1/health",
    ])
  func otherTargets(target: String) async throws {
    let home = try await ServedHome(feeds: [])
    try await LiveServer.run(try home.server(port: 0)) { server in
      let target = target.replacing("PORT", with: String(server.port))
      let next = "GET /api/v1/sync HTTP/1.1\r\n\(server.host)Connection: close\r\n\r\n"
      let answer = try await server.exchange(
        "GET \(target) HTTP/1.1\r\n\(server.host)\r\n" + next)
      // After a refused target nothing of the connection is trusted.
      #expect(Self.statuses(answer) == ["400"])
    }
  }

  @Test("the sizes of heads, targets and bodies are limited")
  func bounds() async throws {
    let home = try await ServedHome(feeds: [])
    try await LiveServer.run(try home.server(port: 0)) { server in
      let post = "POST /api/v1/sync HTTP/1.1\r\n\(server.host)" + Self.json
      let fields = (0..<200).map { "X-\($0): 1\r\n" }.joined()
      for (name, request, status) in [
        ("a large body", post + "Content-Length: 1000000\r\n\r\n", "413"),
        (
          "large chunks",
          post + "Transfer-Encoding: chunked\r\n\r\n11000\r\n"
            + String(repeating: "x", count: 0x11000) + "\r\n0\r\n\r\n", "413"
        ),
        ("many fields", "GET / HTTP/1.1\r\n\(server.host)\(fields)\r\n", "400"),
        (
          "a large field",
          "GET / HTTP/1.1\r\n\(server.host)X: \(String(repeating: "a", count: 20_000))\r\n\r\n",
          "400"
        ),
        (
          "a long address",
          "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\n\(server.host)"
            + "Connection: close\r\n\r\n", "414"
        ),
      ] {
        let answer = try await server.exchange(request)
        #expect(Self.statuses(answer) == [status], "\(name)")
      }
    }
  }

  @Test("a connection with an unfinished request, or without further requests, is closed")
  func slow() async throws {
    let home = try await ServedHome(feeds: [])
    var times = ConnectionDeadlines.Times()
    times.body = .milliseconds(80)
    times.idle = .milliseconds(80)
    try await LiveServer.run(try home.server(port: 0), times: times) { server in
      for request in [
        "", "GET / HT", "GET / HTTP/1.1\r\n\(server.host)X-A: ",
        "PUT /api/v1/offers/a:1/favorite HTTP/1.1\r\n\(server.host)\(Self.json)"
          + "Content-Length: 9\r\n\r\n{",
      ] {
        // The server closes the connection without a successful response.
        let answer = try await server.exchange(request)
        #expect(!answer.hasPrefix("HTTP/1.1 2"), "\(request): \(answer)")
      }
      let idle = try await server.exchange("GET /api/v1/health HTTP/1.1\r\n\(server.host)\r\n")
      #expect(Self.statuses(idle) == ["200"])
    }
  }

  @Test("a connection whose client never reads its responses is closed")
  func unread() async throws {
    let home = try await ServedHome()
    var times = ConnectionDeadlines.Times()
    times.reading = .milliseconds(100)
    try await LiveServer.run(try home.server(port: 0), times: times) { server in
      let connection = try RawConnection(port: server.port)
      let request = "GET /api/v1/offers?limit=500 HTTP/1.1\r\n\(server.host)\r\n"
      connection.send(String(repeating: request, count: 500))
      // Other clients are served until the server has closed the first connection.
      var isOpen = true
      while isOpen {
        let answer = try await server.exchange(
          "GET /api/v1/health HTTP/1.1\r\n\(server.host)Connection: close\r\n\r\n")
        #expect(Self.statuses(answer) == ["200"])
        isOpen = !connection.isReset
      }
    }
  }

  @Test("a flood of requests whose client closes its side is not read into memory")
  func flood() async throws {
    let home = try await ServedHome(feeds: [])
    try await LiveServer.run(try home.server(port: 0)) { server in
      let connection = try RawConnection(port: server.port)
      // The others wait in the system's buffer, because this response does not end before its client leaves.
      let events = "GET /api/v1/events HTTP/1.1\r\n\(server.host)\r\n"
      let request = "GET /api/v1/health HTTP/1.1\r\n\(server.host)\r\n"
      connection.send(events + String(repeating: request, count: RequestIntake.waitingLimit + 300))
      connection.closeSending()
      let answers = Self.statuses(try await connection.receive())
      #expect(answers.count <= 1, "the connection is closed before it answers those that wait")
      let answer = try await server.exchange(
        "GET /api/v1/health HTTP/1.1\r\n\(server.host)Connection: close\r\n\r\n")
      #expect(Self.statuses(answer) == ["200"])
    }
  }

  @Test("five hundred slow connections do not delay another request")
  func crowd() async throws {
    let home = try await ServedHome()
    try await LiveServer.run(try home.server(port: 0)) { server in
      let starts = [
        "GET / HT", "GET / HTTP/1.1\r\n\(server.host)X-A: ",
        "PUT /api/v1/offers/a:1/favorite HTTP/1.1\r\n\(server.host)\(Self.json)"
          + "Content-Length: 9\r\n\r\n{",
      ]
      // A connection waits until the server has accepted others. A thread of its own waits, because
      // the server runs on the threads of the concurrency pool.
      let port = server.port
      let crowd = try await withCheckedThrowingContinuation { answer in
        Thread.detachNewThread {
          answer.resume(
            with: Result {
              try (0..<500).map { index in
                let connection = try RawConnection(port: port)
                connection.send(starts[index % starts.count])
                return connection
              }
            })
        }
      }
      let answer = try await server.exchange(
        "GET /api/v1/offers/ibotta:900117 HTTP/1.1\r\n\(server.host)Connection: close\r\n\r\n")
      #expect(Self.statuses(answer) == ["200"])
      #expect(crowd.count == 500)
    }
  }

  @Test("pipelined requests are answered in their order, and Connection: close is honored")
  func pipeline() async throws {
    let home = try await ServedHome()
    try await LiveServer.run(try home.server(port: 0)) { server in
      let all = ["health", "sync", "offers/ibotta:900117", "health"].map {
        "GET /api/v1/\($0) HTTP/1.1\r\n\(server.host)"
      }
      let answer = try await server.exchange(
        all.joined(separator: "\r\n") + "Connection: Close\r\n\r\n")
      #expect(Self.statuses(answer) == ["200", "200", "200", "200"])
      let (first, offer) = (answer.range(of: "idle"), answer.range(of: "Harvest Row"))
      #expect(try #require(first).lowerBound < #require(offer).lowerBound)
    }
  }
}

extension RawConnection {
  /// Whether the server has closed the connection.
  fileprivate var isReset: Bool {
    sendFailure == ECONNRESET || sendFailure == EPIPE
  }
}
