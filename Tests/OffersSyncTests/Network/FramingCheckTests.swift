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
  ) async -> Bool? {
    await FramingCheck(
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
  func headers(fields: [(String, String)], refuses: Bool) async {
    let headers = fields.map { HeaderField($0.0, $0.1) }
    #expect(await check(["https://a.example/": (200, headers)]) == refuses)
  }

  @Test("redirects are followed, and only the last page counts")
  func redirects() async {
    let pages: [String: (status: Int, headers: [HeaderField])] = [
      "https://a.example/": (
        302, [HeaderField("Location", "/b"), HeaderField("X-Frame-Options", "DENY")]
      ),
      "https://a.example/b": (200, []),
    ]
    #expect(await check(pages) == false)
    #expect(
      await check(["https://a.example/": (301, [HeaderField("Location", "https://a.example/")])])
        == nil)
  }

  @Test("nothing is known of a site that cannot be reached or is not on the public internet")
  func unknown() async {
    #expect(await check([:]) == nil)
    #expect(await check(["http://192.168.1.1/": (200, [])], "http://192.168.1.1/") == nil)
    #expect(await check(["http://localhost/": (200, [])], "http://localhost/") == nil)
    #expect(
      await check(
        ["https://a.example/": (302, [HeaderField("Location", "http://10.0.0.1/")])]) == nil)
    #expect(
      await check(
        ["http://192.168.1.1/": (200, [])], "http://192.168.1.1/", allowsPrivateNetwork: true)
        == false)
  }
}
