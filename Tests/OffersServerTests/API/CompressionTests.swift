import Hummingbird
import OffersCore
import OffersFeeds
import Testing

@testable import OffersServer

@Suite("Compressed responses")
struct CompressionTests {
  private static func decompressed(_ body: ByteBuffer) throws -> [UInt8] {
    var whole: [UInt8] = []
    let decompressor = Decompressor(limitBytes: 8 << 20)
    try body.withUnsafeReadableBytes {
      try decompressor.consume($0) { whole.append(contentsOf: $0) }
    }
    try decompressor.finish { whole.append(contentsOf: $0) }
    #expect(decompressor.isCompressed)
    return whole
  }

  @Test(
    "pages, documents and assets are the same content in at most half of the bytes",
    arguments: ["/", "/api/v1/offers?limit=100", "/assets/styles.css", "/sw.js"])
  func same(path: String) async throws {
    let home = try await ServedHome(feeds: ["ibotta", "albums"])
    let client = try home.client()
    let plain = try await client.get(path)
    let tag = try #require(plain.headers[.eTag])
    #expect(!tag.hasPrefix("W/"))
    #expect(plain.headers[.contentEncoding] == nil)
    #expect(plain.headers[.vary] == "Accept-Encoding")
    // The second response may come from the cache.
    for _ in 1...2 {
      let small = try await client.get(path, headers: [.acceptEncoding: "gzip, deflate, br, zstd"])
      #expect(small.headers[.contentEncoding] == "gzip")
      #expect(small.headers[.contentType] == plain.headers[.contentType])
      #expect(small.headers[.contentLength] == "\(small.body.readableBytes)")
      #expect(small.headers[.eTag] == "W/" + tag)
      #expect(small.headers[.vary] == "Accept-Encoding")
      #expect(small.body.readableBytes * 2 <= plain.body.readableBytes)
      #expect(try Self.decompressed(small.body) == Array(plain.body.readableBytesView))
    }
    let known = try await client.get(
      path, headers: [.acceptEncoding: "gzip", .ifNoneMatch: "W/" + tag])
    #expect(known.status == 304)
    #expect(known.headers[.eTag] == "W/" + tag)
    #expect(known.headers[.vary] == "Accept-Encoding")
  }

  @Test("pictures and small documents are sent as they are")
  func plain() async throws {
    let home = try await ServedHome(feeds: ["ibotta"])
    let client = try home.client()
    for path in ["/assets/icon-192.png", "/api/v1/searches"] {
      let answer = try await client.get(path, headers: [.acceptEncoding: "gzip"])
      #expect(answer.status == 200)
      #expect(answer.headers[.contentEncoding] == nil, "\(path)")
      #expect(answer.headers[.eTag]?.hasPrefix("W/") == false, "\(path)")
    }
  }

  @Test(
    "what a client accepts is read as RFC 9110 defines it",
    arguments: [
      ("gzip", true), ("GZIP", true), ("x-gzip", true), ("deflate, gzip;q=0.5", true), ("*", true),
      ("br, *;q=0.1", true), ("gzip ; q=1.000", true), ("", false), ("identity", false),
      ("br", false), ("gzip;q=0", false), ("gzip; q=0.000, *", false), ("*;q=0", false),
      ("gzipped", false),
    ])
  func accepts(field: String, isAccepted: Bool) {
    let request = Request(
      head: HTTPRequest(
        method: .get, scheme: "http", authority: "localhost", path: "/",
        headerFields: [.acceptEncoding: field]),
      body: RequestBody(buffer: ByteBuffer()))
    #expect(GzipCoding.isAccepted(by: request) == isAccepted)
  }

  @Test("a body that does not become smaller is sent as it is")
  func random() {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(GzipCoding.compress(ByteBuffer(bytes: bytes)) == nil)
    for (count, isWorthIt) in [(999, false), (1000, true)] {
      let body = ByteBuffer(repeating: 32, count: count)
      #expect(GzipCoding.isWorthIt("text/html", body) == isWorthIt)
      #expect(!GzipCoding.isWorthIt("image/png", body))
    }
  }
}
