import Foundation
import OffersTestSupport
import Synchronization
import Testing

@Suite("offers serve with clients that never read", .serialized)
struct ServeMemoryTests {
  private static let floodBytes = 54 << 20
  private static let growthBytes = 32 << 20

  /// Requests, each with whether the client closes its sending side afterwards.
  private static let requests: [(name: String, request: String, closesSending: Bool)] = [
    ("an offer", "GET /api/v1/offers/ibotta:1 HTTP/1.1\r\nHost:HOST\r\n\r\n", false),
    ("an offer, and no more", "GET /api/v1/offers/ibotta:1 HTTP/1.1\r\nHost:HOST\r\n\r\n", true),
    ("a page", "GET / HTTP/1.1\r\nHost:HOST\r\nAccept: text/html\r\n\r\n", false),
    (
      "an offer that it has",
      "GET /api/v1/offers/ibotta:1 HTTP/1.1\r\nHost:HOST\r\nIf-None-Match: *\r\n\r\n", false
    ),
    (
      "a body that is waited for",
      "PUT /api/v1/offers/ibotta:1/favorite HTTP/1.1\r\nHost:HOST\r\nExpect: 100-continue\r\n"
        + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", false
    ),
    (
      "a body that nobody reads",
      "POST /x HTTP/1.1\r\nHost:HOST\r\nTransfer-Encoding: chunked\r\n\r\n"
        + String(repeating: "1\r\nx\r\n", count: 100) + "0\r\n\r\n", false
    ),
    ("events, and no more", "GET /api/v1/events HTTP/1.1\r\nHost:HOST\r\n\r\n", true),
    ("no HTTP", ": : :\r\n\r\n", false),
  ]

  @Test(
    "54 MB of requests with unread answers grow memory by less than 32 MB; others are served",
    arguments: requests.indices)
  func flood(index: Int) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let serving = try Serving(home)
    let (name, request, closesSending) = Self.requests[index]
    let text = request.replacing("HOST", with: "127.0.0.1:\(serving.port)")
    let health = "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1:\(serving.port)\r\n"
    func isHealthy() async throws -> Bool {
      let connection = try RawConnection(port: serving.port)
      return try await connection.exchange(health + "Connection: close\r\n\r\n")
        .hasPrefix("HTTP/1.1 200")
    }
    // Excludes memory that is allocated once, at the first request.
    let first = try RawConnection(port: serving.port)
    _ = try await first.exchange(text) { !$0.isEmpty }
    #expect(try await isHealthy())
    let before = try serving.memory("VmRSS")
    let connection = try RawConnection(port: serving.port, receivedBytes: 4096)
    let ticks = Mutex(-1)
    await connection.flood(text, bytes: Self.floodBytes) {
      let now = serving.processorTicks
      return ticks.withLock { last in
        defer { last = now }
        // Polling for event listeners uses a little processor time even if the server is idle.
        return last < 0 || now - last > 3
      }
    }
    if closesSending { connection.closeSending() }
    #expect(try await isHealthy())
    #expect(try serving.memory("VmHWM") - before < Self.growthBytes, "\(name)")
    #expect(serving.end() == 0)
    withExtendedLifetime(connection) {}
  }

  @Test(
    "a thousand idle connections do not keep others from being served", arguments: [false, true])
  func idle(hasAsked: Bool) async throws {
    let home = try await Home(synced: [FeedItem("1", "Tea")])
    let serving = try Serving(home)
    let request = "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1:\(serving.port)\r\n\r\n"
    var idle: [RawConnection] = []
    for _ in 0..<1100 {
      let connection = try RawConnection(port: serving.port)
      if hasAsked {
        let answer = try await connection.exchange(request) { $0.contains("\r\n\r\n") }
        #expect(answer.hasPrefix("HTTP/1.1 200"))
      }
      idle.append(connection)
    }
    let other = try RawConnection(port: serving.port)
    let answer = try await other.exchange(request) { $0.contains("\r\n\r\n") }
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    // The server closes the connections that have been idle longest, long before the minute after which
    // it closes any.
    #expect(try await #require(idle.first).receive() == "")
    #expect(serving.end() == 0)
  }
}

extension Serving {
  /// The processor time that the server has used, in clock ticks, or 0 after it has ended.
  fileprivate var processorTicks: Int {
    let text = try? String(contentsOfFile: "/proc/\(process.pid)/stat", encoding: .utf8)
    // The parenthesized program name is the second field; the two times are the 14th and 15th.
    let fields = text?.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
  }

  /// Returns the resident memory in bytes: the current (`VmRSS`) or the peak value (`VmHWM`).
  fileprivate func memory(_ name: String) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    guard let kilobytes = (line?.filter(\.isNumber)).flatMap({ Int($0) }) else {
      throw Home.Unexpected("no \(name): \(text)")
    }
    return kilobytes << 10
  }
}
