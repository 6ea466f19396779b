import Foundation
import Offers
import OffersTestSupport
import Testing

@Suite("The samples of the page Offers.md")
struct PageSampleTests {
  private let database: OffersDatabase

  init() async throws {
    database = try await OffersDatabase.inMemory()
  }

  private static func text(of path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The code blocks of the page in a language.
  private static func blocks(_ language: String) throws -> [String] {
    try text(of: "Sources/Offers/Offers.docc/Offers.md")
      .components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
        $0.components(separatedBy: "\n```").first
      }
  }

  @Test("each sample of Swift is the one that is compiled")
  func compiled() throws {
    let compiled = try ["Shop", "ListScreen", "DetailScreen", "Teller", "PreviewDatabase"].map {
      name in
      let source = try Self.text(of: "Tests/OffersTests/Samples/\(name).swift")
      let begin = try #require(source.range(of: "// sample begins\n"))
      let end = try #require(source.range(of: "\n// sample ends"))
      return String(source[begin.upperBound..<end.lowerBound])
    }
    #expect(try Self.blocks("swift") == compiled)
  }

  /// The definition of the page.
  private static func configuration() throws -> FeedConfiguration {
    try FeedConfiguration(yaml: #require(try blocks("yaml").first), name: "page")
  }

  private static let url = "https://shop.example/teas.json"

  /// The document of the page's shop.
  private static func teas(_ count: Int) -> CannedTransport.Answer {
    let teas = (1...count).map {
      """
      {"sku": \($0), "title": "Assam", "price": {"text": "€ 4,50"},
        "picture": "/\($0).png", "until": "2030-01-31", "shop": {"name": "Mart"}}
      """
    }
    return .response(200, [], #"{"data": {"teas": [\#(teas.joined(separator: ","))]}}"#)
  }

  @Test("an app opens a database with the definitions of the page, whose feed is empty")
  func shop() async throws {
    let folder = try TemporaryFolder()
    let shop = try await Shop(
      in: URL(filePath: folder.path), definitions: #require(try Self.blocks("yaml").first))
    #expect(try await shop.database.fetchOffers(OfferQuery(feed: "teas")).isEmpty)
    await shop.images.close()
    try await shop.database.close()
  }

  @Test("the list is empty, shows what the feed of the page has, and why it is not renewed")
  @MainActor func list() async throws {
    let web = CannedTransport([Self.url: .failure(TransportFailure(.unreachable))])
    let configuration = try Self.configuration()
    func screen(at time: TimeInterval) -> ListScreen {
      ListScreen(
        database,
        SyncEngine(
          store: database, transport: web, configuration: configuration,
          now: { Date(timeIntervalSince1970: time) }))
    }
    let offline = screen(at: 1_750_000_000)
    await offline.refresh()
    #expect(offline.notice?.hasPrefix(Self.url) == true)
    web.answer(Self.url, Self.teas(1))
    let online = screen(at: 1_750_090_000)
    let shown = Task { await online.show() }
    await online.refresh()
    #expect(online.notice == nil)
    while online.offers.isEmpty { await Task.yield() }
    let offer = try #require(online.offers.first)
    #expect(offer.ref.description == "teas:1" && offer.name == "Assam" && offer.retailer == "Mart")
    #expect(offer.reward?.value == .amount(minorUnits: 450, currency: "EUR"))
    #expect(offer.expiresAt != nil && offer.imageURLText?.hasSuffix("/1.png") == true)
    try await database.setFavorites([offer.ref], to: true)
    while online.offers.first?.isFavorite != true { await Task.yield() }
    shown.cancel()
    await shown.value
    let asked = web.asked.count
    await online.refresh()
    #expect(web.asked.count == asked, "the feed is not due")
  }

  @Test("the list shows more when it is asked for more")
  @MainActor func longList() async throws {
    let engine = SyncEngine(
      store: database, transport: CannedTransport([Self.url: Self.teas(120)]),
      configuration: try Self.configuration())
    let screen = ListScreen(database, engine)
    await screen.refresh()
    for (limit, count) in [(50, 50), (150, 120)] {
      let shown = Task { await screen.show(limit) }
      while screen.offers.count < count { await Task.yield() }
      #expect(screen.offers.count == count)
      shown.cancel()
      await shown.value
    }
  }

  @Test("the detail shows the offer with its picture, and the star that it sets")
  @MainActor func detail() async throws {
    let picture = TinyImage.png()
    let web = CannedTransport([
      Self.url: Self.teas(1), "https://shop.example/1.png": .bytes(picture, []),
    ])
    _ = try await SyncEngine(
      store: database, transport: web, configuration: try Self.configuration()
    ).sync("teas")
    let screen = DetailScreen(database, ImageLoader(images: database, transport: web))
    let ref = OfferRef(feed: "teas", offerID: "1")
    let shown = Task { await screen.show(ref) }
    await screen.showPicture(of: ref)
    while screen.offer == nil { await Task.yield() }
    #expect(screen.picture == picture && screen.offer?.name == "Assam")
    try await screen.toggleFavorite()
    while screen.offer?.isFavorite != true { await Task.yield() }
    shown.cancel()
    await shown.value
  }

  @Test("a database for previews has offers and favorites, and each is another one")
  func previews() async throws {
    let (one, other) = (try await OffersDatabase.preview(), try await OffersDatabase.preview())
    let offers = try await one.fetchOffers(OfferQuery())
    #expect(offers.count > 2 && offers.filter(\.isFavorite).count == 2)
    try await one.setFavorites(offers.map(\.ref), to: false)
    #expect(try await other.fetchOffers(OfferQuery(favoritesOnly: true)).count == 2)
  }

  @Test("the transport over URLSession hands on redirects, validators and errors")
  func urlSession() async throws {
    let feed = #"[{"id":"1","name":"Tea"}]"#
    let server = try ScriptedServer([
      .answer("302 Found", ["Location: /there.json"], ""),
      .answer("200 OK", [#"ETag: "a""#], feed),
      .answer("302 Found", ["Location: /there.json"], ""), .answer("304 Not Modified", [], ""),
      .answer("503 Busy", ["Retry-After: 60"], "later"), .text("nonsense\r\n\r\n"),
    ])
    let engine = SyncEngine(store: database, transport: URLSessionTransport())
    let options = SyncOptions(source: .url(server.url()), reason: .forced)
    #expect(try await engine.sync("ibotta", options: options).counts.new == 1)
    #expect(try await engine.sync("ibotta", options: options).outcome == .unchanged)
    let requests = server.requests.map { $0.lowercased() }
    #expect(
      requests.map { $0.split(separator: " ")[1] }.prefix(2) == ["/offers.json", "/there.json"])
    #expect(requests[3].contains(#"if-none-match: "a""#))
    for _ in 0..<3 {
      let error = await #expect(throws: OffersError.self) {
        try await engine.sync("ibotta", options: options)
      }
      #expect(error?.code == .sourceFailed)
    }
    #expect(try await database.fetchOffers(OfferQuery()).map(\.name) == ["Tea"])
  }

  @Test("the transport over URLSession unpacks a body and says so")
  func unpacks() async throws {
    let gzip: [UInt8] = [
      31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 139, 174, 86, 202, 76, 81, 178, 82, 50, 84, 210,
      81, 202, 75, 204, 77, 5, 50, 67, 82, 19, 149, 106, 99, 1, 85, 58, 107, 185, 25, 0,
      0, 0,
    ]
    let head =
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(gzip.count)\r\n"
      + "Connection: close\r\n\r\n"
    let server = try ScriptedServer([.send(Array(head.utf8) + gzip)])
    let run = try await SyncEngine(store: database, transport: URLSessionTransport()).sync(
      "ibotta", options: SyncOptions(source: .url(server.url())))
    #expect(run.counts.new == 1)
  }
}
