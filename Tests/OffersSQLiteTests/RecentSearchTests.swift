import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Recent searches")
struct RecentSearchTests {
  private static func note(
    _ words: String, feed: String? = nil, at seconds: Int = 1, in store: Store
  ) async throws {
    try await store.database.noteSearch(
      RecentSearch(words: words, feed: feed, searchedAt: ChangeTests.date(seconds)))
  }

  private static func words(_ store: Store) async throws -> [String] {
    try await store.database.fetchRecentSearches().map(\.words)
  }

  @Test("the last 10 are kept, the latest first")
  func keepsTen() async throws {
    let store = try await Store()
    for number in 1...25 { try await Self.note("tea \(number)", in: store) }
    #expect(try await Self.words(store) == (16...25).reversed().map { "tea \($0)" })
  }

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

  @Test("an equal search moves to the top, in any spelling; one of another feed is separate")
  func movesUp() async throws {
    let store = try await Store()
    for words in ["Café", "tea", "milk"] { try await Self.note(words, in: store) }
    try await Self.note("CAFE", at: 7, in: store)
    #expect(try await Self.words(store) == ["CAFE", "milk", "tea"])
    try await Self.note("tea", feed: "movies", in: store)
    let searches = try await store.database.fetchRecentSearches()
    #expect(searches.map(\.words) == ["tea", "CAFE", "milk", "tea"])
    #expect(searches.map(\.feed) == ["movies", nil, nil, nil])
    #expect(searches[1].searchedAt == ChangeTests.date(7))
  }

  @Test("words are stored as typed, punctuation included, separated by single spaces")
  func keepsWords() async throws {
    let store = try await Store()
    for words in ["C++  &\t\"é\" #?", "!!!", "C++", "???", " "] {
      try await Self.note(words, in: store)
    }
    #expect(try await Self.words(store) == ["???", "C++", "!!!", "C++ & \"é\" #?"])
  }

  @Test("recording the latest search again writes nothing, and a reader can record one")
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
