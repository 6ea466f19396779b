import Foundation
import OffersCore
import OffersSQLite
import OffersTestSupport
import Testing

@Suite("A file that is replaced or removed while it is open")
struct ReplacedFileTests {
  private static func expectRefusals(_ store: Store) async throws {
    let database = store.database
    await #expect(throws: OffersError.self) {
      _ = try await database.setFavorites(named: ["ibotta:1"], to: true)
    }
    do {
      _ = try await database.fetchDataVersion()
      Issue.record("Nothing was noticed.")
    } catch let error as OffersError {
      #expect(error.code == .storageFailed)
      #expect(error.message.contains("was replaced or removed while it was open"))
    }
  }

  @Test("a favorite for a replaced file is refused")
  func replaced() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1"), FeedOffer("2")])
    let before = try await store.database.fetchDataVersion()
    _ = try await store.database.setFavorites(named: ["ibotta:2"], to: true)
    #expect(try await store.database.fetchDataVersion() != before)
    let copy = store.folder.file("copy.sqlite")
    try FileManager.default.copyItem(atPath: store.path, toPath: copy)
    #expect(rename(copy, store.path) == 0)
    try await Self.expectRefusals(store)
  }

  @Test("a favorite for a removed file is refused")
  func removed() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1")])
    _ = try await store.database.fetchDataVersion()
    try FileManager.default.removeItem(atPath: store.path)
    try await Self.expectRefusals(store)
    #expect(!FileManager.default.fileExists(atPath: store.path))
  }
}
