import Foundation
import Offers
import OffersTestSupport
import Testing

/// A screen's model, as an app with `import Offers` alone writes it.
@MainActor private final class FeedsModel {
  private(set) var counts: [String: Int] = [:]
  private(set) var errors: [String: OffersError] = [:]
  private(set) var order: [String] = []

  func refresh(_ feeds: [String], with engine: SyncEngine) async throws {
    try await engine.sync(feeds) { feed, result in
      order.append(feed)
      switch result {
      case .success(let run): counts[feed] = run.counts.new
      case .failure(let error): errors[feed] = error
      }
    }
  }
}

@Suite("A screen model over a database")
struct ScreenModelTests {
  private static let definitions = """
    feeds:
      teas: {source: "https://tea.example/1.json", format: json, id: id, fields: {name: name}}
      jams: {source: "https://jam.example/1.json", format: json, id: id, fields: {name: name}}
    """
  private static let feed = #"[{"id":"1","name":"Assam"},{"id":"2","name":"Sencha"}]"#

  private let configuration: FeedConfiguration
  private let database: OffersDatabase

  init() async throws {
    configuration = try FeedConfiguration(
      yaml: Self.definitions, name: "feeds.yaml", includesShipped: false)
    database = try await OffersDatabase.inMemory(configuration: configuration)
  }

  private func engine() -> SyncEngine {
    SyncEngine(
      store: database,
      transport: CannedTransport([
        "https://tea.example/1.json": .response(200, [], Self.feed),
        "https://jam.example/1.json": .response(500),
      ]), configuration: configuration)
  }

  @Test("on the main actor gets the run or the error of each feed in a plain closure")
  @MainActor
  func syncsOnMainActor() async throws {
    let model = FeedsModel()
    try await model.refresh(["teas", "jams", "pies"], with: engine())
    #expect(model.order.sorted() == ["jams", "pies", "teas"])
    #expect(model.counts == ["teas": 2])
    #expect(model.errors.mapValues(\.code) == ["jams": .sourceFailed, "pies": .notFound])
  }

  @Test("learns of the present state, of each later commit, and of the end of the database")
  func watchesCommits() async throws {
    var commits = database.commits.makeAsyncIterator()
    let first = try #require(await commits.next())
    #expect(try await database.fetchDataVersion() == first.version)
    _ = try await engine().sync("teas")
    let second = try #require(await commits.next())
    #expect(second.version != first.version && second.concernsOffers)
    try await database.putImage(
      CachedImage(
        url: "https://tea.example/1.png", bytes: TinyImage.png(),
        header: ImageHeader(format: .png, width: 1, height: 1), fetchedAt: .now,
        freshUntil: .now))
    let third = try #require(await commits.next())
    #expect(third.version != second.version && !third.concernsOffers)
    try await database.close()
    #expect(await commits.next() == nil)
  }

  @Test("stops watching when its task is cancelled")
  func stopsWatching() async throws {
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let database = database
    let watch = Task {
      for await _ in database.commits { beginning.yield() }
    }
    for await _ in begun { break }
    watch.cancel()
    await watch.value
  }

  @Test("may be tested with a fake of each protocol that it calls")
  func fakes() async throws {
    let fake = FakeStore()
    let folder = try TemporaryFolder()
    let file = URL(filePath: folder.file("saved.json"))
    #expect(try await fake.export(to: file).offers == 1)
    #expect(try await fake.importRecords(from: file).newOffers == 2)
    #expect(try await fake.fetchRetailers(of: nil) == ["Mart"])
    try await fake.backUp(to: file)
    let offer = Offer(
      ref: OfferRef(feed: "teas", offerID: "1"), name: "Tea", firstSeenAt: .now, changedAt: .now)
    await #expect(throws: OffersError.self) { try await fake.image(of: offer) }
    #expect(FeedSummary(name: "teas", known: nil, feed: nil).title == nil)
    for await commit in fake.commits {
      #expect(commit.version == 7 && commit.concernsOffers)
      break
    }
    #expect(try await fake.findImage("a") == nil)
  }
}

/// What an app must write to replace the database in the tests of its screens.
private struct FakeStore: Transfer, FileMaintenance, FacetRepository, ImageSource, ImageRepository,
  CommitSignal
{
  func export(
    to file: URL, favoritesOnly: Bool, allUsers: Bool
  ) async throws -> ExportSummary {
    ExportSummary(offers: 1, bytes: 10)
  }

  func importRecords(from file: URL, acceptsSources: Bool) async throws -> ImportSummary {
    ImportSummary(
      sources: [
        ImportedFeedSource(feed: "teas", text: "https://tea.example/1.json", origin: .imported)
      ],
      newOffers: 2)
  }

  func backUp(to file: URL) async throws {}
  func fetchRetailers(of feed: String?) async throws -> [String] { ["Mart"] }
  func fetchCategories(of feed: String?) async throws -> [String] { [] }

  func image(of offer: Offer, feedSource: String?) async throws -> CachedImage {
    throw OffersError(.notFound, "The offer has no picture.")
  }

  func findImage(_ url: String) async throws -> CachedImage? { nil }
  func touchImage(_ url: String) async throws -> Bool { false }
  func putImage(_ image: CachedImage) async throws {}
  func setImageLimit(_ limit: Int) async throws -> Int { 0 }
  func fetchImageContents(now: Date) async throws -> ImageCacheContents {
    ImageCacheContents(limit: 50, images: [], hits: 0, misses: 0, evictions: 0, failures: [])
  }
  func clearImages() async throws -> Int { 0 }
  func flushImageUses() async throws {}
  func fetchDataVersion() async throws -> Int64 { 7 }
}
