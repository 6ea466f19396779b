import OffersCore
import OffersSQLite
import OffersStore
import OffersTestSupport
import Testing

@Suite("Concurrent reads")
struct ConcurrentReadTests {
  @Test("concurrent reads see committed writes")
  func sideBySide() async throws {
    let folder = try TemporaryFolder()
    let database = try await OffersDatabase.open(path: folder.file("offers.sqlite"), readerCount: 4)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await database.fetchOffers(OfferQuery()).count } }
      for try await count in group { #expect(count == 0) }
    }
    let store = try await Store()
    try await store.sync([FeedOffer("1", name: "Tea")])
    let wide = try await OffersDatabase.open(path: store.path, readerCount: 4)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await wide.fetchOffers(OfferQuery()).count } }
      for try await count in group { #expect(count == 1) }
    }
  }
}
