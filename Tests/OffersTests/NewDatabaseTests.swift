import Foundation
import Offers
import OffersTestSupport
import Testing

@Suite("A new database of an app")
struct NewDatabaseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ configuration: FeedConfiguration = .shipped) async throws -> OffersDatabase {
    try await OffersDatabase.open(
      at: URL(filePath: folder.file("offers.sqlite")), configuration: configuration)
  }

  @Test("is subscribed to no feed")
  func isEmpty() async throws {
    let database = try await open()
    #expect(try await database.fetchFeeds().isEmpty)
    #expect(try await database.fetchFormerFeeds().isEmpty)
    let summaries = try await FeedConfiguration.shipped.fetchSummaries(in: database)
    #expect(summaries.map(\.name) == FeedConfiguration.shipped.names)
    #expect(summaries.allSatisfy { $0.feed == nil && $0.former == nil })
    #expect(try await database.fetchOffers(OfferQuery()).isEmpty)
  }

  @Test("has an empty list of each feed that is defined or subscribed, and of no other")
  func listsNothing() async throws {
    let definition = "feeds: {teas: {format: json, id: id, fields: {name: name}}}"
    let database = try await open(FeedConfiguration(yaml: definition, name: "feeds.yaml"))
    _ = try await database.subscribe(to: "jams", source: "https://jam.example/1.json")
    for feed in ["ibotta", "teas", "jams"] {
      #expect(try await database.fetchOffers(OfferQuery(feed: feed)).isEmpty)
      #expect(try await database.countOffers(OfferQuery(feed: feed)) == 0)
      #expect(try await database.search(SearchQuery("tea", feed: feed)).hits.isEmpty)
      var changes = ChangeQuery(now: .now)
      changes.feed = feed
      #expect(try await database.fetchChanges(changes).changes.isEmpty)
    }
    for call in [
      { _ = try await database.fetchOffers(OfferQuery(feed: "pies")) },
      { _ = try await database.search(SearchQuery("tea", feed: "pies")) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: OffersError.self) { try await call() }
      #expect(error?.code == .notFound)
    }
  }

  @Test("has an empty list of a feed whose first sync failed")
  func failedFeed() async throws {
    let database = try await open()
    let web = CannedTransport([:])
    await #expect(throws: OffersError.self) {
      try await SyncEngine(store: database, transport: web).sync(
        "ibotta", options: SyncOptions(source: .url("https://shop.example/1.json")))
    }
    #expect(try await database.fetchOffers(OfferQuery(feed: "ibotta")).isEmpty)
  }

  @Test("is a file: no path in memory, no empty path, no page of the web")
  func needsFile() async throws {
    let pages = try #require(URL(string: "https://shop.example/offers.sqlite"))
    let memory = URL(filePath: folder.file(":memory:"))
    for file in [memory, URL(filePath: ":memory:"), pages] {
      let error = await #expect(throws: OffersError.self) {
        try await OffersDatabase.open(at: file)
      }
      #expect(error?.code == .invalidRequest, "\(file)")
    }
    for path in ["", ":memory:"] {
      let error = await #expect(throws: OffersError.self) {
        try await OffersDatabase.open(path: path)
      }
      #expect(error?.code == .invalidRequest, "\(path)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: ":memory:"))
  }

  @Test("knows the feeds of its configuration only, without the built-in ones if they are left out")
  func leavesOutShippedFeeds() throws {
    let definition = "feeds: {teas: {format: json, id: id, fields: {name: name}}}"
    let own = try FeedConfiguration(yaml: definition, name: "feeds.yaml", includesShipped: false)
    #expect(own.names == ["teas"])
    #expect(try own.knownFeeds().map(\.name) == ["teas"])
    #expect(try own.knownFeeds().map(\.position) == [0])
    #expect(try FeedConfiguration.shipped.knownFeeds().allSatisfy { $0.position == nil })
    let both = try FeedConfiguration(yaml: definition, name: "feeds.yaml")
    #expect(both.names == (FeedConfiguration.shipped.names + ["teas"]).sorted())
  }
}
