import Foundation
import OffersCore
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersSync

@Suite("Fetching images ahead")
struct FetchAheadTests {
  private static let png = TinyImage.png()

  private static func home() async throws -> FetchHome {
    let home = try await FetchHome()
    home.web.answer { request in
      if request.url.absoluteString.contains("missing") { return SimulatedAnswer(404) }
      var answer = SimulatedAnswer(200)
      answer.bytes = png
      return answer
    }
    return home
  }

  private static func url(_ name: String) -> String { "https://e.com/\(name)" }

  private static func offers(_ images: [String?]) -> [Offer] {
    images.enumerated().map { number, image in
      Offer(
        ref: OfferRef(feed: "tea", offerID: "\(number + 1)"), name: "Tea",
        imageURL: image.flatMap(URL.init), firstSeenAt: .distantPast, changedAt: .distantPast)
    }
  }

  private static func loader(_ home: FetchHome) -> ImageLoader {
    ImageLoader(images: home.database, transport: home.web) { home.now }
  }

  private static func fetch(
    _ home: FetchHome, _ images: [String?]
  ) async throws -> FetchedImages {
    try await loader(home).fetchAhead(offers(images), feeds: home.database)
  }

  /// The names of the cached images, most recently used first.
  private static func held(_ home: FetchHome) async throws -> [String] {
    try await home.database.fetchImageContents(now: home.now).images
      .map { String($0.url.dropFirst(url("").count)) }
  }

  @Test("each image is counted once, as fetched, cached already, or failed with its first offer")
  func counts() async throws {
    let home = try await Self.home()
    let images = [Self.url("a"), nil, Self.url("a"), Self.url("missing"), "x.png", Self.url("b")]
    let steps = Mutex<[[Int]]>([])
    let first = try await Self.loader(home).fetchAhead(
      Self.offers(images), feeds: home.database
    ) { done, total in steps.withLock { $0.append([done, total]) } }
    #expect((first.fetched, first.held, first.leftOut) == (2, 0, 0))
    #expect(first.failures.map(\.ref.description) == ["tea:4", "tea:5"])
    #expect(
      first.failures.map(\.error.message) == [
        "https://e.com/missing answered 404 Not Found.",
        "The picture's address x.png is relative to a feed that is not on the web.",
      ])
    #expect(steps.withLock { $0 } == (0...4).map { [$0, 4] })
    let second = try await Self.fetch(home, images)
    #expect((second.fetched, second.held, second.failures.count) == (0, 2, 2))
    #expect(home.web.requests.count == 3)
    let none = try await Self.fetch(home, [])
    #expect(none == FetchedImages())
  }

  @Test("relative addresses are resolved with the source of the offer's feed")
  func resolves() async throws {
    let home = try await Self.home()
    _ = try await home.database.subscribe(to: "tea", source: "https://tea.example/x/feed.json")
    let result = try await Self.fetch(home, ["1.png"])
    #expect(result.fetched == 1)
    #expect(home.web.requests.map(\.url.absoluteString) == ["https://tea.example/x/1.png"])
  }

  @Test("no more images are fetched than the cache holds, and the first are the most recently used")
  func respectsLimit() async throws {
    let home = try await Self.home()
    try await home.database.setImageLimit(5)
    let result = try await Self.fetch(home, (1...9).map { Self.url("\($0)") })
    #expect((result.fetched, result.leftOut) == (5, 4))
    #expect(
      Set(home.web.requests.map(\.url.absoluteString)) == Set((1...5).map { Self.url("\($0)") }))
    #expect(try await Self.held(home) == ["1", "2", "3", "4", "5"])
  }

  @Test("images of the list that are cached already are not evicted by the others")
  func keepsHeld() async throws {
    let home = try await Self.home()
    try await home.database.setImageLimit(4)
    for name in ["a", "b", "c", "d"] {
      _ = try await Self.loader(home).image(at: Self.url(name))
    }
    let result = try await Self.fetch(home, ["e", "a", "f"].map(Self.url))
    #expect((result.fetched, result.held) == (2, 1))
    #expect(try await Self.held(home) == ["e", "a", "f", "d"])
  }

  @Test("images of other favorites keep their places, and no image is fetched in vain")
  func respectsFavorites() async throws {
    let home = try await Self.home()
    try await home.database.setImageLimit(5)
    let web = home.web
    let items = (1...4).map { #"{"id":"\#($0)","name":"Tea","url":"\#(Self.url("f\($0)"))"}"# }
    web.answer { request in
      var answer = SimulatedAnswer(200, [], "[\(items.joined(separator: ","))]")
      if request.url.absoluteString != FetchHome.url { answer.bytes = Self.png }
      return answer
    }
    #expect(try await home.sync(from: FetchHome.url).error == nil)
    _ = try await home.database.setFavorites(named: ["1", "2", "3", "4"], to: true)
    for number in 1...4 { _ = try await Self.loader(home).image(at: Self.url("f\(number)")) }
    let result = try await Self.fetch(home, (1...5).map { Self.url("\($0)") })
    #expect((result.fetched, result.leftOut) == (2, 3))
    #expect(try await Self.held(home) == ["1", "2", "f4", "f3", "f2"])
  }

  @Test("a stale image is revalidated, and counted as cached")
  func revalidates() async throws {
    let home = try await Self.home()
    _ = try await Self.fetch(home, [Self.url("a")])
    home.wait(days: 2)
    let result = try await Self.fetch(home, [Self.url("a")])
    #expect((result.fetched, result.held) == (0, 1))
    #expect(home.web.requests.count == 2)
  }

  /// Servers that count the requests under way, and answer after a while or never.
  private final class CountingWeb: HTTPTransport {
    private struct State {
      var underWay: [String: Int] = [:]
      var mostPerHost = 0
      var most = 0
      var count = 0
    }

    private let state = Mutex(State())
    private let isSilent: Bool
    let started: AsyncStream<Void>
    private let starts: AsyncStream<Void>.Continuation

    init(isSilent: Bool = false) {
      self.isSilent = isSilent
      (started, starts) = AsyncStream.makeStream(of: Void.self)
    }

    var most: Int { state.withLock { $0.most } }
    var mostPerHost: Int { state.withLock { $0.mostPerHost } }
    var count: Int { state.withLock { $0.count } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let host = request.url.host() ?? ""
      state.withLock { state in
        state.count += 1
        state.underWay[host, default: 0] += 1
        state.mostPerHost = max(state.mostPerHost, state.underWay[host] ?? 0)
        state.most = max(state.most, state.underWay.values.reduce(0, +))
      }
      starts.yield()
      defer { state.withLock { $0.underWay[host, default: 0] -= 1 } }
      if isSilent { try await Task.sleep(for: .seconds(3600)) }
      for _ in 0..<5 { await Task.yield() }
      return TransportResponse(status: 200, bytes: FetchAheadTests.png)
    }
  }

  /// Offers with images of eight hosts, two of each.
  private static let spread = offers((0..<16).map { "https://host\($0 / 2).example/\($0)" })

  @Test("at most four requests run concurrently, one to each host")
  func sparesHosts() async throws {
    let home = try await FetchHome()
    let web = CountingWeb()
    let loader = ImageLoader(images: home.database, transport: web) { home.now }
    // Two calls share the limits.
    async let half = loader.fetchAhead(Array(Self.spread.prefix(8)), feeds: home.database)
    async let other = loader.fetchAhead(Array(Self.spread.suffix(8)), feeds: home.database)
    #expect(try await half.fetched + other.fetched == 16)
    #expect(web.mostPerHost == 1)
    #expect(web.most <= 4)
  }

  @Test("after a cancellation no further request starts")
  func stops() async throws {
    let home = try await FetchHome()
    let web = CountingWeb(isSilent: true)
    let loader = ImageLoader(images: home.database, transport: web) { home.now }
    let task = Task { try await loader.fetchAhead(Self.spread, feeds: home.database) }
    for await _ in web.started { break }
    task.cancel()
    await #expect(throws: OffersError.cancelled) { try await task.value }
    await loader.close()
    #expect(web.count <= 4)
    #expect(try await home.database.fetchImageContents(now: home.now).failures.isEmpty)
  }
}
