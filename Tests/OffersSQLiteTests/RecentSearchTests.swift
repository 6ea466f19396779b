import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Recent searches")
struct RecentSearchTests {
  @Test("the bound holds for other programs as well")
  func holdsBound() async throws {
    let store = try await Store()
    for verb in ["INSERT", "INSERT OR REPLACE"] {
      try store.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        \(verb) INTO recent_search (user_key, expression, feed, words, searched_at)
        SELECT 1, i || '\(verb)', '', 'x', 1 FROM n
        """)
      #expect(try store.rows("SELECT count(*) FROM recent_search") == ["10"])
    }
  }

  @Test("a reader can record a search; recording the latest one again writes nothing")
  func writesNothingTwice() async throws {
    let store = try await Store()
    let reader = try await OffersDatabase.open(path: store.path, access: .readOnly)
    let search = RecentSearch(words: "tea", searchedAt: ChangeTests.date(5))
    try await reader.noteSearch(search)
    let before = try store.rows("SELECT * FROM recent_search")
    try await reader.noteSearch(RecentSearch(words: "tea", searchedAt: ChangeTests.date(9)))
    #expect(try store.rows("SELECT * FROM recent_search") == before)
    #expect(try await reader.fetchRecentSearches() == [search])
  }
}
