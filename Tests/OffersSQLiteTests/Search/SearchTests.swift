import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Search")
struct SearchTests {
  static func filled() async throws -> Store {
    let store = try await Store()
    try await store.sync(FeedOffer.searched)
    return store
  }

  /// The ids of the results, best first.
  static func ids(_ words: String, in store: Store) async throws -> [String] {
    try await store.database.search(SearchQuery(words)).hits.map(\.offer.ref.offerID)
  }

  @Test("the JSON syntax of a list is not searchable")
  func lists() async throws {
    let words = try await Self.filled().rows("SELECT term FROM search_term")
    #expect(words.contains("line") && words.contains("two"))
    #expect(Set(words).isDisjoint(with: ["nline", "ntwo", "label", "artist"]))
  }
}
