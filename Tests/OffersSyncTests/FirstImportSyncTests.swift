import Foundation
import OffersCore
import OffersStore
import OffersSync
import OffersTestSupport
import Testing

@Suite("A sync that makes its database")
struct FirstImportSyncTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("offers.sqlite")
  }

  /// More than is taken in one piece: some megabytes.
  private static let records = (1...9000).map {
    FeedText.record($0, name: "Tea " + String(repeating: "x", count: 300))
  }

  private func sync(_ store: any SyncStore, _ text: String, at seconds: Double = 1000) async throws
    -> SyncRun
  {
    let engine = SyncEngine(
      store: store, environment: { _ in nil }, now: { Date(timeIntervalSince1970: seconds) })
    let source = try folder.write(text, to: "feed.json")
    return try await engine.sync("ibotta", options: SyncOptions(source: source))
  }

  @Test("all is there, in the document's order, and the same and the next document are known again")
  func importsAll() async throws {
    let store = try #require(try FirstImport.begin(at: path, expectedBytes: 9 << 20))
    // One without a name, and one whose id came before, pieces ago.
    let text = FeedText.list(
      Self.records + [#"{"id":"a"}"#, FeedText.record(2, name: "Milk"), FeedText.record(9001)])
    let run = try await sync(store, text)
    #expect(run.error == nil)
    #expect(run.counts.all == [9001, 0, 0, 0, 0, 2])
    #expect(run.problems.map(\.position) == [9001, 9002])
    #expect(try await store.end())
    let database = try OffersDatabase(path: path)
    #expect(
      try await database.fetchOffers(OfferQuery(limit: 10_000)).map(\.ref.id)
        == (1...9001).map(String.init))
    #expect(try await sync(database, text, at: 2000).outcome == .unchanged)
    let next = FeedText.list(
      Self.records.dropFirst() + [FeedText.record(9001, reward: "$2.00 Cash Back")])
    #expect(try await sync(database, next, at: 3000).counts.all == [0, 1, 1, 0, 8999, 0])
    #expect(try await database.search(SearchQuery("9001")).hits.map(\.offer.ref.id) == ["9001"])
  }

  @Test(
    "a document that is no good makes a database with the failed run and nothing else",
    arguments: ["cut off", "no offers", "another feed's"])
  func notesFailures(what: String) async throws {
    let store = try #require(try FirstImport.begin(at: path, expectedBytes: 9 << 20))
    let whole = FeedText.list(Self.records)
    let text =
      switch what {
      case "cut off": String(whole.dropLast(100))
      case "no offers": FeedText.list(Array(repeating: #"{"id":"a"}"#, count: 20_000))
      default: #"{"restaurants":"# + whole
      }
    let run = try await sync(store, text)
    #expect(run.outcome == .failed)
    let error = try #require(run.error)
    #expect(try await store.end())
    let database = try OffersDatabase(path: path, access: .readOnly)
    #expect(try await database.fetchOffers(OfferQuery()).isEmpty)
    #expect(
      try await database.fetchFeeds().compactMap(\.lastRun?.error?.message) == [error.message])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy {
        !$0.hasSuffix("-setup")
      })
  }

  @Test("while another sync of the feed is under way it is refused, and makes nothing")
  func waitsForItsTurn() async throws {
    let store = try #require(try FirstImport.begin(at: path, expectedBytes: 0))
    let error = try await store.withSyncLock(on: "ibotta", waitSeconds: 0) {
      await #expect(throws: OffersError.self) {
        try await SyncEngine(store: store).sync(
          "ibotta", options: SyncOptions(source: "sample", lockWaitSeconds: 0))
      }
    }
    #expect(error?.code == .locked)
    #expect(try await store.end())
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
