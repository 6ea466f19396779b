import Foundation
import GRDB
import OffersCore
import OffersStore
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
}

@Suite("The indexed texts")
struct SearchTextTests {
  @Test("are the words of each field, with a gap between the texts of a list")
  func words() async throws {
    let store = try await Store()
    try await store.sync([
      FeedOffer(
        "1", name: "Große Ｔeekanne® 7-Up", description: "ﬁne\u{AD}st Þé",
        more: [
          .terms: "¶ «O’Neill»", .categories: #"["Food","a\"b\nline\\two","…"]"#,
          .attributes: #"[["Artist","Björk"],["],[","Ab\u00AD12"]]"#,
        ])
    ])
    let texts = try await store.database.read { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT concat FROM (SELECT name || '|' || description || '|' || terms || '|'
            || coalesce(retailer, 'NULL') || '|' || categories || '|' || attributes AS concat
          FROM search_text)
          """)
    }
    #expect(
      texts == [
        "grosse teekanne 7 up |finest the |o neill ¶ oneill |NULL|food ¶ a b line two ¶ |bjork ¶ ab 12 "
      ])
    for (words, count) in [("line two", 1), ("\"line two\"", 1), ("two-bjork", 0), ("food-a", 0)] {
      #expect(try await store.database.search(SearchQuery(words)).hits.count == count, "\(words)")
    }
  }

  @Test("an offer with 200,000 categories is found, changed and reindexed")
  func manyCategories() async throws {
    let store = try await Store()
    try await store.sync([FeedOffer("1", name: "Tea")])
    var json = JSONWriter()
    json.array { for number in 0..<200_000 { $0.value("c\(number)") } }
    try await store.database.write { [text = json.text] database in
      try database.execute(sql: "UPDATE offer SET categories = ?", arguments: [text])
      try SearchIndex.rebuild(in: database)
    }
    let found = try await store.database.search(SearchQuery("c199999")).hits
    // The category is behind the text in which matches are looked for.
    #expect(found.map { $0.matches.map(\.index) } == [[]])
    try await store.sync([FeedOffer("1", name: "Milk")], at: 2000)
    #expect(try await store.database.search(SearchQuery("c199999")).hits.isEmpty)
    #expect(try await store.database.search(SearchQuery("milk")).hits.count == 1)
    try store.execute("INSERT INTO offer_search (offer_search, rank) VALUES ('integrity-check', 1)")
  }
}

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
