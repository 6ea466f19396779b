import OffersCore
import OffersSQLite
import OffersTestSupport
import Testing

@Suite("Commit signal and concurrent reads")
struct CommitSignalTests {
  @Test("the version changes with each commit of another program")
  func version() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1", name: "Tea")])
    let last = try await store.database.fetchDataVersion()
    try store.execute("UPDATE offer SET name = name || '!'")
    #expect(try await store.database.fetchDataVersion() != last)
  }

  @Test("the version changes with a first import")
  func firstImport() async throws {
    let store = try await Store()
    let empty = try await store.database.fetchDataVersion()
    try await store.sync([FeedOffer("1", name: "Tea")])
    let filled = try await store.database.fetchDataVersion()
    #expect(filled != empty)
    #expect(try await store.database.fetchDataVersion() == filled)
    #expect(try await store.database.fetchOffers(OfferQuery()).count == 1)
  }

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
