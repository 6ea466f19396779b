import Foundation
import OffersCore
import OffersTestSupport
import TestStores
import Testing

@testable import OffersPostgres

@Suite("The image cache in PostgreSQL", .timeLimit(.minutes(3)))
struct ImageTests {
  /// An image cache that can be dropped and opened again.
  private actor Home: ImageRepositoryHome {
    private let made: TestDatabase
    private var store: PostgresStore
    private var offers: [FeedOffer] = []

    init() async throws {
      made = try await TestDatabase.makeStore()
      store = try await PostgresStore.open(url: made.url())
    }

    var images: any ImageFetchStore { store }

    func setFavorite(_ url: String, to isFavorite: Bool) async throws {
      if !offers.contains(where: { $0.id == url }) {
        offers.append(FeedOffer(url, more: [.imageURL: url]))
        try await store.sync(offers)
      }
      _ = try await store.setFavorites(
        [OfferRef(feed: "ibotta", offerID: url)], to: isFavorite)
    }

    func crash() async throws {
      await store.laterWrites.finish()
      try await store.close()
      store = try await PostgresStore.open(url: made.url())
    }

    func age(leasesBy seconds: Double) async throws {
      try await made.run("UPDATE image_lease SET until = until - interval '\(seconds) seconds'")
    }
  }

  @Test("it keeps the rule of every image cache", arguments: ImageRepositoryRule.all)
  func keeps(rule: ImageRepositoryRule) async throws {
    #expect(try await rule.violation { try await Home() } == nil)
  }

  private static func image(_ number: Int) throws -> CachedImage {
    let bytes = TinyImage.png(filling: [UInt8](repeating: UInt8(number % 250), count: 10))
    let now = Date(timeIntervalSince1970: 1000)
    return CachedImage(
      url: "https://e.com/\(number).png", bytes: bytes, header: try ImageHeader(reading: bytes),
      fetchedAt: now, freshUntil: now)
  }

  @Test("no commit holds more images than the limit, with writers on several nodes")
  func bound() async throws {
    let made = try await TestDatabase.makeStore()
    let stores = [
      try await PostgresStore.open(url: made.url()),
      try await PostgresStore.open(url: made.url(by: .pooler)),
    ]
    try await withThrowingTaskGroup { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<30 {
            try await stores[writer % 2].putImage(Self.image(writer * 100 + number))
          }
        }
      }
      group.addTask {
        for _ in 0..<60 {
          let count = try await stores[0].fetchImageContents(now: Date()).images.count
          #expect(count <= 50)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await made.run("SELECT count(*) FROM image_cache") == "50")
  }

  @Test("the database itself refuses an image too many, whoever writes it")
  func refusesOthers() async throws {
    let (made, store) = try await PostgresStore.openNew()
    for number in 1...50 { try await store.putImage(Self.image(number)) }
    let copy = """
      INSERT INTO image_cache
      SELECT url || 'x', content_type, width, height, etag, last_modified, fetched_at, fresh_until,
        bytes
      FROM image_cache LIMIT 1
      """
    let lower = "UPDATE image_tally SET image_limit = 49"
    for statement in [copy, lower] {
      await #expect(throws: (any Error).self) { try await made.run(statement) }
    }
    #expect(
      try await made.run("SELECT count(*), max(image_limit) FROM image_cache, image_tally")
        == "50|50")
  }
}
