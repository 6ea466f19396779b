import Foundation
import OffersCore
import OffersHTTP
import OffersSQLite
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("Loading images")
struct ImageLoaderTests {
  private static let url = "https://e.com/1.png"
  private static let png = TinyImage.png()

  private static func answer(
    _ status: Int = 200, _ headers: [(String, String)] = [], bytes: [UInt8] = png
  ) -> SimulatedAnswer {
    var answer = SimulatedAnswer(status, headers)
    answer.bytes = bytes
    return answer
  }

  private static func loader(_ home: FetchHome) -> ImageLoader {
    ImageLoader(images: home.database, transport: home.web) { home.now }
  }

  private static func error(_ home: FetchHome, _ url: String = url) async -> OffersError? {
    await #expect(throws: OffersError.self) { try await loader(home).image(at: url) }
  }

  @Test("an image is fetched once, whatever type its server declares, then cached for a day")
  func holds() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in Self.answer(200, [("Content-Type", "text/plain")]) }
    let loader = Self.loader(home)
    for _ in 0..<3 {
      let image = try await loader.image(at: Self.url)
      #expect(image.bytes == Self.png && image.header.format == .png)
      home.wait(hours: 11)
    }
    #expect(home.web.requests.count == 1)
    #expect(home.web.requests.first?.headers["accept-encoding"] == ["identity"])
    _ = try await loader.image(at: Self.url)
    #expect(home.web.requests.count == 2)
  }

  @Test(
    "the address of a picture that names a smaller square size gets another size",
    arguments: [
      ("https://a.example/x.jpg/100x100bb.jpg", "https://a.example/x.jpg/600x600bb.jpg"),
      ("https://a.example/60x60.png", "https://a.example/600x600.png"),
      ("https://a.example/1200x1200bb.jpg", nil), ("https://a.example/100x200bb.jpg", nil),
      ("https://a.example/100x1000bb.jpg", nil), ("https://a.example/x100x100.jpg", nil),
      ("100x100bb.jpg", nil), ("", nil),
    ] as [(String, String?)])
  func sizes(address: String, large: String?) {
    #expect(SizedImageURL.larger(address) == large)
  }

  @Test("a picture whose address names its size is requested larger, or else as the feed names it")
  func sized() async throws {
    let url = "https://e.com/a.jpg/100x100bb.png"
    for hasLarge in [true, false] {
      let home = try await FetchHome()
      home.web.answer { request in
        !hasLarge && request.url.path.contains("600x600") ? SimulatedAnswer(404) : Self.answer()
      }
      for _ in 1...2 { #expect(try await Self.loader(home).image(at: url).bytes == Self.png) }
      let asked = home.web.requests.map(\.url.absoluteString)
      #expect(
        asked == ["https://e.com/a.jpg/600x600bb.png"] + (hasLarge ? [] : [url]))
      // One place in the cache, under the address of the feed.
      #expect(try await home.database.findImage(url)?.bytes == Self.png)
    }
  }

  @Test("a server that does not answer is not asked for another size")
  func unreachedSize() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in nil }
    _ = await Self.error(home, "https://e.com/100x100.png")
    #expect(home.web.requests.count == 1)
  }

  @Test("the image of a preview is neither stored nor a use of a stored one, nor is its failure")
  func previews() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in Self.answer() }
    let loader = Self.loader(home)
    let offer = Offer(
      ref: OfferRef(feed: "new", offerID: "1"), name: "Tea",
      imageURL: URL(string: Self.url), firstSeenAt: home.now, changedAt: home.now)
    for _ in 1...2 {
      let image = try await loader.previewImage(of: offer, feedSource: nil)
      #expect(image.bytes == Self.png)
      #expect(try await home.database.findImage(Self.url) == nil)
    }
    #expect(home.web.requests.count == 2)
    _ = try await loader.image(at: Self.url)
    #expect(try await loader.previewImage(of: offer, feedSource: nil).bytes == Self.png)
    #expect(home.web.requests.count == 3)
    let other = try await FetchHome()
    other.web.answer { _ in SimulatedAnswer(404) }
    await #expect(throws: OffersError.self) {
      try await Self.loader(other).previewImage(of: offer, feedSource: nil)
    }
    #expect(try await other.database.findFailure(of: Self.url, now: other.now) == nil)
  }

  @Test("a stale image is revalidated by a conditional request")
  func revalidates() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in Self.answer(200, [("ETag", "\"a\""), ("Cache-Control", "max-age=60")]) }
    let loader = Self.loader(home)
    _ = try await loader.image(at: Self.url)
    home.wait(hours: 1)
    home.web.answer { _ in SimulatedAnswer(304, [("Cache-Control", "max-age=7200")]) }
    #expect(try await loader.image(at: Self.url).bytes == Self.png)
    #expect(home.lastConditions == ["if-none-match": "\"a\""])
    home.wait(hours: 1)
    _ = try await loader.image(at: Self.url)
    #expect(home.web.requests.count == 2)
  }

  @Test("a stale image is returned when its server is unreachable")
  func fallsBack() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in Self.answer() }
    let loader = Self.loader(home)
    _ = try await loader.image(at: Self.url)
    home.wait(days: 2)
    home.web.answer { _ in nil }
    for _ in 0..<3 { #expect(try await loader.image(at: Self.url).bytes == Self.png) }
    #expect(home.web.requests.count == 2)
  }

  @Test("concurrent callers share one request, and cancelling one does not affect the others")
  func coalesces() async throws {
    let home = try await FetchHome()
    let server = try ImageServer(pauseMicroseconds: 100_000)
    let loader = ImageLoader(images: home.database, allowsPrivateNetwork: true) { _ in nil }
    let url = server.url("a")
    let leaving = (0..<5).map { _ in Task { try await loader.image(at: url) } }
    let staying = (0..<20).map { _ in Task { try await loader.image(at: url) } }
    for task in leaving { task.cancel() }
    for task in staying { #expect(try await task.value.bytes == ImageServer.image("a")) }
    #expect(server.requests == ["a": 1])
    await loader.close()
  }

  @Test("an image is stored even when all callers were cancelled")
  func keepsAbandoned() async throws {
    let home = try await FetchHome()
    let server = try ImageServer(pauseMicroseconds: 50_000)
    let loader = ImageLoader(images: home.database, allowsPrivateNetwork: true) { _ in nil }
    let task = Task { try await loader.image(at: server.url("a")) }
    while server.requests.isEmpty { await Task.yield() }
    task.cancel()
    await #expect(throws: OffersError.cancelled) { try await task.value }
    #expect(try await loader.image(at: server.url("a")).bytes == ImageServer.image("a"))
    #expect(server.requests == ["a": 1])
    await loader.close()
  }

  /// A server that never answers.
  private struct SilentWeb: HTTPTransport {
    let started: AsyncStream<Void>.Continuation

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      started.yield()
      try await Task.sleep(for: .seconds(3600))
      throw CancellationError()
    }
  }

  @Test("closing cancels a request")
  func cancels() async throws {
    let home = try await FetchHome()
    let (starts, started) = AsyncStream.makeStream(of: Void.self)
    let loader = ImageLoader(images: home.database, transport: SilentWeb(started: started)) {
      home.now
    }
    let task = Task { try await loader.image(at: Self.url) }
    for await _ in starts { break }
    await loader.close()
    await #expect(throws: OffersError.cancelled) { try await task.value }
    #expect(try await home.database.fetchImageContents(now: home.now).failures == [])
  }

  @Test("at most two requests to one host run concurrently")
  func sparesHosts() async throws {
    let home = try await FetchHome()
    let server = try ImageServer(pauseMicroseconds: 200_000)
    let loader = ImageLoader(images: home.database, allowsPrivateNetwork: true) { _ in nil }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<12 {
        group.addTask { _ = try await loader.image(at: server.url("\(number)")) }
      }
      try await group.waitForAll()
    }
    #expect(server.requests.count == 12)
    #expect(server.mostUnderWay == 2)
    await loader.close()
  }

  @Test("a failure is remembered for ten minutes, or as long as the server asks")
  func remembersFailures() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(404) }
    for _ in 0..<3 {
      #expect(await Self.error(home)?.message == "\(Self.url) answered 404 Not Found.")
      home.wait(hours: 0.05)
    }
    #expect(home.web.requests.count == 1)
    home.wait(hours: 0.1)
    home.web.answer { _ in SimulatedAnswer(503, [("Retry-After", "7200")]) }
    _ = await Self.error(home)
    home.wait(hours: 1.9)
    _ = await Self.error(home)
    #expect(home.web.requests.count == 2)
    home.wait(hours: 0.2)
    home.web.answer { _ in Self.answer() }
    #expect(try await Self.loader(home).image(at: Self.url).bytes == Self.png)
    #expect(try await home.database.findFailure(of: Self.url, now: home.now) == nil)
  }

  @Test(
    "a file that is not an image is refused with a reason and not cached",
    arguments: [
      ("<!doctype html><html>", "is a web page"), ("<svg xmlns='x'/>", "is an SVG"),
      ("{\"a\":1}", "is JSON"), ("", "is empty"), ("GIF89a", "is a damaged or truncated GIF"),
    ])
  func refuses(body: String, reason: String) async throws {
    let home = try await FetchHome()
    home.web.answer { _ in SimulatedAnswer(200, [("Content-Type", "image/png")], body) }
    let error = await Self.error(home)
    #expect(error?.code == .malformedImage)
    #expect(error?.message.hasPrefix("\(Self.url) \(reason)") == true, "\(error?.message ?? "")")
    #expect(try await home.database.fetchImageContents(now: home.now).images.isEmpty)
  }

  @Test("an image that is compressed or larger than 5 MiB is refused")
  func refusesLarge() async throws {
    let home = try await FetchHome()
    home.web.answer { _ in
      Self.answer(bytes: TinyImage.png(filling: [UInt8](repeating: 0, count: 5 << 20)))
    }
    #expect(await Self.error(home)?.code == .limitExceeded)
    home.web.answer { _ in Self.answer(200, [("Content-Encoding", "gzip")]) }
    let compressed = await Self.error(home, "https://e.com/2")
    #expect(compressed?.message.contains("content encoding gzip") == true)
  }

  @Test("three redirects are followed, four are not")
  func limitsRedirects() async throws {
    let home = try await FetchHome()
    home.web.answer { request in
      let count = Int(request.url.absoluteString.split(separator: "/").last ?? "") ?? 0
      return count == 0
        ? Self.answer() : SimulatedAnswer(302, [("Location", "https://e.com/\(count - 1)")])
    }
    #expect(try await Self.loader(home).image(at: "https://e.com/3").bytes == Self.png)
    #expect(
      await Self.error(home, "https://e.com/4")?.message.contains("more than 3 times") == true)
  }

  @Test(
    "a server in a private network is refused without a remembered failure",
    arguments: ["http://127.0.0.1:1/a.png", "http://[::1]/a", "http://169.254.169.254/a"])
  func refusesPrivateNetworks(url: String) async throws {
    let home = try await FetchHome()
    let loader = ImageLoader(images: home.database) { _ in nil }
    let error = await #expect(throws: OffersError.self) { try await loader.image(at: url) }
    #expect(error?.message.contains("not on the public internet") == true)
    #expect(error?.hint == .allowPrivateNetwork)
    #expect(try await home.database.fetchImageContents(now: home.now).failures.isEmpty)
    await loader.close()
  }

  /// A server that sends a byte every 20 milliseconds.
  private struct DrippingWeb: HTTPTransport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let body = AsyncThrowingStream<[UInt8], any Error>(unfolding: {
        try await Task.sleep(for: .milliseconds(20))
        return [0x89]
      })
      return TransportResponse(status: 200, body: body)
    }
  }

  @Test("a slow download is cancelled at its limit, which is ten seconds", .timeLimit(.minutes(1)))
  func endsDripping() async throws {
    #expect(ImageFetch.standardLimits.totalSeconds == 10)
    let home = try await FetchHome()
    let loader = ImageLoader(
      images: home.database, transport: .shared(DrippingWeb()), allowsPrivateNetwork: false,
      logger: .silent, now: { home.now },
      limits: FetchLimits(bodyBytes: ImageCacheLimits.bytes, idleSeconds: 10, totalSeconds: 1))
    let error = await #expect(throws: OffersError.self) {
      try await loader.image(at: Self.url)
    }
    #expect(error?.message == "\(Self.url) took longer than 1 seconds.")
    await loader.close()
  }
}

@Suite("Image addresses")
struct ImageAddressTests {
  @Test(
    "addresses are trimmed, resolved and upgraded to https",
    arguments: [
      ("https://e.com/a.png", nil, "https://e.com/a.png"),
      (" https://e.com/a.png\n", nil, "https://e.com/a.png"),
      ("http://e.com/a.png", nil, "http://e.com/a.png"),
      ("http://e.com/a.png", "https://e.com/feed", "https://e.com/a.png"),
      ("http://E.com/a.png", "https://e.com/feed", "https://E.com/a.png"),
      ("http://e.com/a.png", "http://e.com/feed", "http://e.com/a.png"),
      ("http://cdn.e.com/a.png", "https://e.com/feed", "http://cdn.e.com/a.png"),
      ("http://e.com:8080/a.png", "https://e.com/feed", "http://e.com:8080/a.png"),
      ("http://e.com/a.png", "https://e.com:8443/feed", "http://e.com/a.png"),
      ("a.png", "https://e.com/x/feed.json", "https://e.com/x/a.png"),
      ("//c.com/a.png", "https://e.com/feed", "https://c.com/a.png"),
    ] as [(String, String?, String)])
  func takes(text: String, source: String?, expected: String) throws {
    #expect(try ImageAddress(text, feedSource: source).url == expected)
  }

  @Test(
    "an address that is not on the web is refused with a reason",
    arguments: [
      ("", "has no picture"), ("  ", "has no picture"), ("a.png", "is relative"),
      ("/a.png", "is relative"), ("data:image/png;base64,AA==", "has the scheme data"),
      ("file:///etc/passwd", "has the scheme file"), ("javascript:x", "has the scheme javascript"),
    ])
  func refuses(text: String, reason: String) {
    for source in [nil, "/home/a/feed.json", "sample"] {
      let error = #expect(throws: OffersError.self) {
        try ImageAddress(text, feedSource: source)
      }
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }
}
