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

  @Test("a prefix is searched only if the index has longer words")
  func narrows() async throws {
    let store = try await Self.filled()
    for (words, isNarrowed) in [
      ("tea", false), ("coffee", true), ("cof", false), ("green tea", false), ("7-up", true),
      ("日本", false), ("日本語の本", true), ("xyz", true), ("C++", false), ("12", true),
    ] {
      try await store.database.read { database in
        let search = try SearchWords(words)
        let table = try SearchIndexReader(
          SearchQuery(words), of: User.ownerID, feedKey: nil, in: database)
        #expect(try (table.narrowed(search) != search) == isNarrowed, "\(words)")
      }
    }
  }
}
