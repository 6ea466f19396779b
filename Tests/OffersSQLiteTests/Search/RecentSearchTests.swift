import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Recent searches")
struct RecentSearchTests {
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
