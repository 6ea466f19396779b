import OffersCore
import Testing

@testable import OffersSync

@Suite("Sites that refuse to be framed")
struct FramingCheckTests {
  private static let origin = "http://127.0.0.1:8080"

  /// Answers each URL with the fields that it is given.
  private struct Pages: HTTPTransport {
    let pages: [String: (status: Int, headers: [HeaderField])]

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      guard let page = pages[request.url.absoluteString] else {
        throw TransportFailure(.unreachable)
      }
      return TransportResponse(status: page.status, headers: page.headers, bytes: [0x41, 0x42])
    }
  }

  private func check(
    _ pages: [String: (status: Int, headers: [HeaderField])], _ url: String = "https://a.example/",
    allowsPrivateNetwork: Bool = false
  ) async throws -> Bool? {
    try await FramingCheck(
      transport: Pages(pages: pages), allowsPrivateNetwork: allowsPrivateNetwork
    ).refusesFrame(url, in: Self.origin)
  }

  @Test(
    "the headers of a page tell whether it refuses",
    arguments: [
      ([], false),
      ([("X-Frame-Options", "DENY")], true),
      ([("x-frame-options", "SameOrigin")], true),
      ([("X-Frame-Options", "ALLOW-FROM https://b.example")], false),
      ([("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")], true),
      ([("Content-Security-Policy", "frame-ancestors 'self'")], true),
      ([("Content-Security-Policy", "frame-ancestors *")], false),
      ([("Content-Security-Policy", "frame-ancestors https:")], true),
      ([("Content-Security-Policy", "frame-ancestors http:")], false),
      ([("Content-Security-Policy", "frame-ancestors 127.0.0.1:8080")], false),
      ([("Content-Security-Policy", "frame-ancestors")], true),
      ([("Content-Security-Policy", "frame-ancestors *"), ("X-Frame-Options", "DENY")], false),
      ([("Content-Security-Policy", "frame-ancestors *, frame-ancestors 'none'")], true),
    ] as [([(String, String)], Bool)])
  func headers(fields: [(String, String)], refuses: Bool) async throws {
    let headers = fields.map { HeaderField($0.0, $0.1) }
    #expect(try await check(["https://a.example/": (200, headers)]) == refuses)
  }

  @Test("redirects are followed, and only the last page counts")
  func redirects() async throws {
    let pages: [String: (status: Int, headers: [HeaderField])] = [
      "https://a.example/": (
        302, [HeaderField("Location", "/b"), HeaderField("X-Frame-Options", "DENY")]
      ),
      "https://a.example/b": (200, []),
    ]
    #expect(try await check(pages) == false)
    #expect(
      try await check(["https://a.example/": (301, [HeaderField("Location", "https://a.example/")])]
      )
        == nil)
  }

  @Test("nothing is known of a site that is not on the public internet")
  func unknown() async throws {
    #expect(try await check(["http://192.168.1.1/": (200, [])], "http://192.168.1.1/") == nil)
    #expect(try await check(["http://localhost/": (200, [])], "http://localhost/") == nil)
    #expect(
      try await check(
        ["https://a.example/": (302, [HeaderField("Location", "http://10.0.0.1/")])]) == nil)
    #expect(
      try await check(
        ["http://192.168.1.1/": (200, [])], "http://192.168.1.1/", allowsPrivateNetwork: true)
        == false)
  }

  @Test("a site that does not answer is told apart from one that may not be asked")
  func silence() async {
    let error = await #expect(throws: OffersError.self) { try await check([:]) }
    #expect(error?.message == "https://a.example/ does not answer.")
  }
}
