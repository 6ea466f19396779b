import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Search")
struct SearchTests {
  static let offers = [
    FeedOffer("1", name: "Café Lumière® Ground Coffee", description: "12 oz. bag"),
    FeedOffer("2", name: "Green Tea", description: "Goes well before coffee"),
    FeedOffer("3", name: "Team Spirit Jersey"),
    FeedOffer("4", name: "7-Up Soda", more: [.terms: "Coca-Cola is excluded."]),
    FeedOffer("5", name: "Kellogg’s Corn Flakes", more: [.retailer: "Crème & Co"]),
    FeedOffer(
      "6", name: "Album",
      more: [
        .categories: #"["Musik","a\"b\nline\\two"]"#,
        .attributes: #"[["Artist","Björk Guðmundsdóttir"],["Genre","Électronique"]]"#,
      ]),
    FeedOffer("7", name: "C++ Primer"),
    FeedOffer("8", name: "日本語の本"),
  ]

  static func filled() async throws -> Store {
    let store = try Store()
    try await store.sync(offers)
    return store
  }

  /// The ids of the results, best first.
  static func ids(_ words: String, in store: Store) async throws -> [String] {
    try await store.database.search(SearchQuery(words)).hits.map(\.offer.ref.offerID)
  }

  /// Queries and the ids of their results, best first.
  private static let found: [(words: String, ids: [String])] = [
    ("coffee", ["1", "2"]), ("COFFEE", ["1", "2"]), ("ground coffee", ["1"]),
    ("coffee ground", ["1"]), ("cafe lumiere", ["1"]), ("CAFÉ Lumière®", ["1"]),
    ("cafe\u{301}", ["1"]), ("12 oz", ["1"]), ("7-up", ["4"]), ("7up", []), ("coca-cola", ["4"]),
    ("up-7", []), ("kellogg's", ["5"]), ("kellogg’s", ["5"]), ("creme", ["5"]),
    ("musik", ["6"]), ("bjork", ["6"]), ("guðmundsdóttir", ["6"]), ("electronique", ["6"]),
    ("line", ["6"]), ("two", ["6"]), ("artist", []), ("C++", ["7"]),
    ("c", ["7"]), ("日本", ["8"]), ("coffee soda", []),
  ]

  @Test("an offer matches if its fields have all words, regardless of case and accents")
  func finds() async throws {
    let store = try await Self.filled()
    for (words, ids) in Self.found {
      let results = try await store.database.search(SearchQuery(words))
      #expect(results.hits.map(\.offer.ref.offerID) == ids, "\(words)")
      #expect(results.correctedWords == nil, "\(words)")
    }
  }

  @Test("the JSON syntax of a list is not searchable")
  func lists() async throws {
    let words = try await Self.filled().rows("SELECT term FROM search_term")
    #expect(words.contains("line") && words.contains("two"))
    #expect(Set(words).isDisjoint(with: ["nline", "ntwo", "label", "artist"]))
  }

  @Test("the last word may be a prefix, which ranks below the whole word")
  func beginnings() async throws {
    let store = try await Self.filled()
    #expect(try await Self.ids("tea", in: store) == ["2", "3"])
    #expect(try await Self.ids("tea green", in: store) == ["2"])
    #expect(try await Self.ids("gre te", in: store) == [])
    #expect(try await Self.ids("green te", in: store) == ["2"])
    // A single letter is a prefix of too many words, unless nothing else matches.
    #expect(try await Self.ids("j", in: store) == ["3"])
    #expect(try await Self.ids("7-u", in: store) == ["4"])
  }

  @Test("a prefix is searched only if the index has longer words")
  func narrows() async throws {
    let store = try await Self.filled()
    for (words, isNarrowed) in [
      ("tea", false), ("coffee", true), ("cof", false), ("green tea", false), ("7-up", true),
      ("日本", false), ("日本語の本", true), ("xyz", true), ("C++", false), ("12", true),
    ] {
      try await store.database.read { database in
        let expression = try SearchExpression(words, in: database)
        #expect(try (expression.narrowed(in: database) != expression) == isNarrowed, "\(words)")
      }
    }
  }

  @Test("a match in the name ranks above one in other fields")
  func ranks() async throws {
    let store = try Store()
    try await store.sync([
      FeedOffer("1", name: "Milk", more: [.terms: "tea tea tea"]),
      FeedOffer("2", name: "Milk", description: "tea"), FeedOffer("3", name: "tea"),
      FeedOffer("4", name: "Milk", more: [.retailer: "tea"]),
    ])
    #expect(try await Self.ids("tea", in: store) == ["3", "4", "2", "1"])
  }

  /// Texts that have a meaning in FTS5's query syntax, or no token at all.
  private static let odd: [String] = [
    "", " ", "\"", "\"\"", "'", "tea\"", "\"green tea", "tea*", "*", "te* OR", "AND", "NOT tea",
    "tea NOT", "NEAR(tea green, 2)", "name:tea", "name : tea", "{name terms}: tea", "-tea",
    "^tea",
    "+", "tea + green", "(", ")", "((tea)", "{", "[", "\\", ";--", "%", "_", "?", "?1", ":a",
    "@x",
    "$y", "🙂", "tea 🙂", "®", "™®", "\u{0}", "tea\u{0}green", "\u{FFFD}", "\u{202E}aet", "\u{301}",
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\n", "null", "0", "-0", "1e999", "ﬁ", "İ",
    "ß",
    String(repeating: "tea ", count: 3000), String(repeating: "x", count: 100_000),
    (0..<2000).map { "w\($0)" }.joined(separator: " "), String(repeating: "a-", count: 2000),
  ]

  @Test("no query text causes an error")
  func takesAnything() async throws {
    let store = try await Self.filled()
    for words in Self.odd {
      for query in [SearchQuery(words), SearchQuery(words, favoritesOnly: true, page: 3)] {
        let results = try await store.database.search(query)
        #expect(results.hits.count <= Self.offers.count)
      }
      try await store.database.noteSearch(
        RecentSearch(words: words, searchedAt: Date(timeIntervalSince1970: 1)))
    }
    #expect(try await store.database.fetchRecentSearches().count == RecentSearch.limit)
  }

  @Test("a query without letters or digits has no results")
  func signs() async throws {
    let store = try await Self.filled()
    for words in ["®", "🙂", "\"", "--", ""] {
      #expect(try await store.database.search(SearchQuery(words)) == SearchResults())
    }
  }

  @Test("matches are reported per field, as ranges of Unicode scalars")
  func marks() async throws {
    let store = try await Self.filled()
    func matches(_ words: String) async throws -> [SearchMatch]? {
      try await store.database.search(SearchQuery(words)).hits.first?.matches
    }
    #expect(try await matches("coffee") == [SearchMatch(field: .name, ranges: [21..<27])])
    #expect(
      try await matches("cafe bag") == [
        SearchMatch(field: .name, ranges: [0..<4]),
        SearchMatch(field: .description, ranges: [7..<10]),
      ])
    #expect(try await matches("creme") == [SearchMatch(field: .retailer, ranges: [0..<5])])
    #expect(try await matches("coca-cola") == [SearchMatch(field: .terms, ranges: [0..<9])])
    #expect(
      try await matches("two") == [SearchMatch(field: .categories, index: 1, ranges: [9..<12])])
    #expect(
      try await matches("bjork electronique") == [
        SearchMatch(field: .attributes, index: 0, ranges: [0..<5]),
        SearchMatch(field: .attributes, index: 1, ranges: [0..<12]),
      ])
  }

  @Test("ranges are correct in long lists and next to mark characters")
  func marksInLists() async throws {
    let store = try Store()
    let categories = (1...9).map { #""Kind \#($0)""# }.joined(separator: ",")
    let attributes = (1...9).map { #"["Label","Value \#($0)"]"# }.joined(separator: ",")
    try await store.sync([
      FeedOffer(
        "1", name: "\u{2}a<\u{2} tea \u{3}\u{2}",
        more: [.categories: "[\(categories)]", .attributes: "[\(attributes)]"])
    ])
    let hit = try #require(try await store.database.search(SearchQuery("tea 9")).hits.first)
    #expect(
      hit.matches == [
        SearchMatch(field: .name, ranges: [5..<8]),
        SearchMatch(field: .categories, index: 8, ranges: [5..<6]),
        SearchMatch(field: .attributes, index: 8, ranges: [6..<7]),
      ])
    let places = zip([hit.offer.name, hit.offer.categories[8]], hit.matches).map { text, match in
      String(String.UnicodeScalarView(Array(text.unicodeScalars)[match.ranges[0]]))
    }
    #expect(places == ["tea", "9"])
  }

  @Test("a search is restricted to its feed, to favorites and to current offers")
  func selects() async throws {
    let store = try await Self.filled()
    try await store.sync([FeedOffer("1", name: "Coffee Machine")], feed: "grocer")
    let database = store.database
    func refs(_ query: SearchQuery) async throws -> [String] {
      try await database.search(query).hits.map(\.offer.ref.description).sorted()
    }
    #expect(try await refs(SearchQuery("coffee")) == ["grocer:1", "ibotta:1", "ibotta:2"])
    #expect(try await refs(SearchQuery("coffee", feed: "grocer")) == ["grocer:1"])
    #expect(try await refs(SearchQuery("coffee", favoritesOnly: true)) == [])
    _ = try await database.setFavorites(named: ["ibotta:2"], to: true)
    try await store.sync(Self.offers.filter { $0.id > "2" }, at: 2000)
    #expect(try await refs(SearchQuery("coffee")) == ["grocer:1"])
    #expect(try await refs(SearchQuery("coffee", favoritesOnly: true)) == ["ibotta:2"])
    #expect(try await refs(SearchQuery("coffee", feed: "grocer", favoritesOnly: true)) == [])
    // The keys of one feed lie on both sides of another feed's.
    try await store.sync(
      Self.offers + [FeedOffer("9", name: "Coffee Mug")], at: 3000)
    #expect(
      try await refs(SearchQuery("coffee", feed: "ibotta")) == ["ibotta:1", "ibotta:2", "ibotta:9"])
    #expect(try await refs(SearchQuery("coffee", feed: "grocer")) == ["grocer:1"])
    _ = try await database.setFavorites(named: ["grocer:1", "ibotta:9"], to: true)
    #expect(
      try await refs(SearchQuery("coffee", favoritesOnly: true))
        == ["grocer:1", "ibotta:2", "ibotta:9"])
    await #expect(throws: OffersError.self) {
      try await database.search(SearchQuery("coffee", feed: "nobody"))
    }
  }

  @Test("pages list every result once, without a gap")
  func pages() async throws {
    let store = try Store()
    try await store.sync((1...45).map { FeedOffer("\($0)", name: "Tea") })
    var ids: [String] = []
    for page in 1...5 {
      let results = try await store.database.search(SearchQuery("tea", limit: 10, page: page))
      ids += results.hits.map(\.offer.ref.offerID)
      #expect(results.hasMore == (page < 5))
    }
    #expect(Set(ids) == Set((1...45).map(String.init)) && ids.count == 45)
    let behind = try await store.database.search(SearchQuery("tea", limit: 10, page: 6))
    #expect(behind == SearchResults())
    for (limit, page) in [(0, 1), (1, 0), (-1, 1), (.max, 1), (1, .max)] {
      await #expect(throws: OffersError.self) {
        try await store.database.search(SearchQuery("tea", limit: limit, page: page))
      }
    }
  }
}
