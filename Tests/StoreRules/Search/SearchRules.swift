import Foundation
import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Search")
struct SearchRules {
  private static let offers = FeedOffer.searched

  private static func filled(_ kind: StoreKind) async throws -> OffersDatabase {
    let store = try await kind.open().store
    try await store.sync(offers)
    return store
  }

  /// The ids of the results, best first.
  private static func ids(_ words: String, in store: OffersDatabase) async throws -> [String] {
    try await store.search(SearchQuery(words)).hits.map(\.offer.ref.offerID)
  }

  /// Queries and the ids of their results, best first.
  private static let found: [(words: String, ids: [String])] = [
    ("coffee", ["1", "2"]), ("COFFEE", ["1", "2"]), ("ground coffee", ["1"]),
    ("coffee ground", ["1"]), ("cafe lumiere", ["1"]), ("CAFÉ Lumière®", ["1"]),
    ("cafe\u{301}", ["1"]), ("12 oz", ["1"]), ("7-up", ["4"]), ("7up", ["4"]), ("7 UP", ["4"]),
    ("cocacola", ["4"]), ("coca", ["4"]), ("cocac", ["4"]), ("coca-cola", ["4"]),
    ("up-7", []), ("kellogg's", ["5"]), ("kellogg’s", ["5"]), ("kelloggs", ["5"]), ("creme", ["5"]),
    ("musik", ["6"]), ("bjork", ["6"]), ("guðmundsdóttir", ["6"]), ("electronique", ["6"]),
    ("line", ["6"]), ("two", ["6"]), ("artist", []), ("C++", ["7"]),
    ("c", ["7"]), ("日本", ["8"]), ("本", ["8"]), ("coffee soda", []),
  ]

  @Test(
    "an offer matches if its fields have all words, regardless of case and accents",
    arguments: StoreKind.allCases)
  func finds(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    for (words, ids) in Self.found {
      let results = try await store.search(SearchQuery(words))
      #expect(results.hits.map(\.offer.ref.offerID) == ids, "\(words)")
      #expect(results.correctedWords == nil, "\(words)")
    }
  }

  /// Names, and the words that find each of them only.
  private static let spelled: [(name: String, words: [String])] = [
    ("Coca-Cola 1,5 l", ["cocacola", "coca cola", "coca-cola", "1.5 l", "1,5l"]),
    ("L’Oréal", ["loreal", "l'oreal", "L´ORÉAL"]),
    ("M&M's 250g", ["mms", "m&ms", "250 g", "250g"]),
    ("7-Up 330 ml", ["7up", "7-up", "7 up", "330ml"]), ("LED E27", ["e27", "e 27", "e-27"]),
    ("Wi-Fi 6", ["wifi", "wi fi"]), ("KitKat", ["kit kat", "kit-kat", "kitkat"]),
    ("Milk 3.5%", ["3.5%", "3,5 %"]), ("Milk 35%", ["35 %"]), ("有机牛奶巧克力", ["牛奶", "牛奶巧"]),
    ("オリーブオイル", ["オイル", "ｵｲﾙ"]), ("서울우유", ["우유"]), ("กาแฟเย็น", ["เย็น"]),
    ("Carpet", ["carpet"]), ("Car pet-hair", ["pethair"]),
    ("Ben & Jerry's", ["ben and jerrys", "Ben UND Jerry", "ben & jerrys"]),
    ("Head&Shoulders", ["head and shoulders"]),
  ]

  @Test(
    "brands, sizes and words within a name are found as people type them, and marked",
    arguments: StoreKind.allCases)
  func spellings(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync(Self.spelled.map { FeedOffer($0.name, name: $0.name) })
    for (name, searches) in Self.spelled {
      for words in searches {
        let hits = try await store.search(SearchQuery(words)).hits
        #expect(hits.map(\.offer.name) == [name], "\(words)")
        #expect(hits.first?.ranges(in: .name).isEmpty == false, "\(words)")
      }
    }
    #expect(try await Self.ids("牛巧", in: store) == [])
    // A word for & is one at the end, and beside one other.
    for words in ["ben jerrys and", "and ben", "ben and"] {
      #expect(try await Self.ids(words, in: store) == [], "\(words)")
    }
    let hit = try #require(try await store.search(SearchQuery("cocacola")).hits.first)
    #expect(hit.ranges(in: .name).map { hit.offer.name[$0] } == ["Coca-Cola"])
  }

  @Test(
    "the last word may be a prefix, which ranks below the whole word", arguments: StoreKind.allCases
  )
  func beginnings(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    #expect(try await Self.ids("tea", in: store) == ["2", "3"])
    #expect(try await Self.ids("tea green", in: store) == ["2"])
    #expect(try await Self.ids("gre te", in: store) == [])
    #expect(try await Self.ids("green te", in: store) == ["2"])
    // A single letter is a prefix of too many words, unless nothing else matches.
    #expect(try await Self.ids("j", in: store) == ["3"])
    #expect(try await Self.ids("7-u", in: store) == ["4"])
  }

  @Test(
    "characters that nobody sees are neither indexed nor searched", arguments: StoreKind.allCases)
  func unseen(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let unseen: [(Int, Unicode.Scalar)] = Array(
      ([
        "\u{AD}", "\u{34F}", "\u{61C}", "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}",
        "\u{200F}", "\u{2060}", "\u{FEFF}",
      ] as [Unicode.Scalar]).enumerated())
    try await store.sync(
      unseen.map { FeedOffer("\($0)", name: "Voll\($1)wasch\($1)mittel n\($0)q e\u{301}\($1)st") }
        + [
          FeedOffer(
            "more", name: "Seife",
            more: [
              .categories: #"["Haus\#u{AD}halt"]"#, .attributes: #"[["Art","Kern\#u{200B}seife"]]"#,
            ])
        ])
    for (index, scalar) in unseen {
      for words in ["vollwaschmittel n\(index)q", "Vollwasch\(scalar)mittel n\(index)q est"] {
        let results = try await store.search(SearchQuery(words))
        #expect(results.hits.map(\.offer.ref.offerID) == ["\(index)"], "\(words)")
        #expect(results.correctedWords == nil)
      }
    }
    let hit = try #require(try await store.search(SearchQuery("vollwaschmittel n0q")).hits.first)
    // The place of “Voll-wasch-mittel”, with two soft hyphens.
    #expect(hit.matches.first?.scalarRanges.first == 0..<17)
    #expect(try await Self.ids("haushalt", in: store) == ["more"])
    #expect(try await Self.ids("kernseife", in: store) == ["more"])
  }

  @Test("a match in the name ranks above one in other fields", arguments: StoreKind.allCases)
  func ranks(kind: StoreKind) async throws {
    let store = try await kind.open().store
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
    String(repeating: "tea ", count: 50), String(repeating: "x", count: 1000),
    (0..<50).map { "w\($0)" }.joined(separator: " "), String(repeating: "a-", count: 50),
  ]

  @Test("no query text within the limits causes an error", arguments: StoreKind.allCases)
  func takesAnything(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    for words in Self.odd {
      for query in [SearchQuery(words), SearchQuery(words, favoritesOnly: true, page: 3)] {
        let results = try await store.search(query)
        #expect(results.hits.count <= Self.offers.count)
      }
      try await store.noteSearch(
        RecentSearch(words: words, searchedAt: Date(timeIntervalSince1970: 1)))
    }
    #expect(try await store.fetchRecentSearches().count == RecentSearch.limit)
  }

  @Test("a query without letters or digits has no results", arguments: StoreKind.allCases)
  func signs(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    for words in ["®", "🙂", "\"", "--", ""] {
      #expect(try await store.search(SearchQuery(words)) == SearchResults())
    }
  }

  /// A match as text: its field, the index, the words' places in scalars, and the words.
  private static func text(_ match: SearchMatch) -> String {
    let index = match.index.map { "[\($0)]" } ?? ""
    let words = match.ranges.map { String(match.text[$0]) }
    return "\(match.field.rawValue)\(index) \(match.scalarRanges) \(words)"
  }

  @Test(
    "matches are reported per field, as ranges of Unicode scalars and of the field's text",
    arguments: StoreKind.allCases)
  func marks(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    func matches(_ words: String) async throws -> [String]? {
      try await store.search(SearchQuery(words)).hits.first?.matches.map(Self.text)
    }
    #expect(try await matches("coffee") == [#"name [Range(21..<27)] ["Coffee"]"#])
    #expect(
      try await matches("cafe bag") == [
        #"name [Range(0..<4)] ["Café"]"#, #"description [Range(7..<10)] ["bag"]"#,
      ])
    #expect(try await matches("creme") == [#"retailer [Range(0..<5)] ["Crème"]"#])
    #expect(try await matches("coca-cola") == [#"terms [Range(0..<9)] ["Coca-Cola"]"#])
    #expect(try await matches("two") == [#"categories[1] [Range(9..<12)] ["two"]"#])
    #expect(
      try await matches("bjork electronique") == [
        #"attributes[0] [Range(0..<5)] ["Björk"]"#,
        #"attributes[1] [Range(0..<12)] ["Électronique"]"#,
      ])
  }

  @Test(
    "ranges are correct in long lists and next to mark characters", arguments: StoreKind.allCases)
  func marksInLists(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let categories = (1...9).map { #""Kind \#($0)""# }.joined(separator: ",")
    let attributes = (1...9).map { #"["Label","Value \#($0)"]"# }.joined(separator: ",")
    try await store.sync([
      FeedOffer(
        "1", name: "\u{2}a<\u{2} tea \u{3}\u{2}",
        more: [.categories: "[\(categories)]", .attributes: "[\(attributes)]"])
    ])
    let hit = try #require(try await store.search(SearchQuery("tea 9")).hits.first)
    #expect(
      hit.matches.map(Self.text) == [
        #"name [Range(5..<8)] ["tea"]"#, #"categories[8] [Range(5..<6)] ["9"]"#,
        #"attributes[8] [Range(6..<7)] ["9"]"#,
      ])
    #expect(hit.ranges(in: .name).map { hit.offer.name[$0] } == ["tea"])
  }

  @Test(
    "string ranges are of whole characters of the offer's own text",
    arguments: StoreKind.allCases,
    [
      ("Cafe\u{301} cre\u{300}me", "cafe"), ("1\u{FE0F}\u{20E3} tea", "1"), ("🧑🏽‍🌾tea🇩🇪", "tea"),
      ("مُحَمَّد شاي", "شاي"), ("مُحَمَّد شاي", "مُحَمَّد"), ("tea\u{200D}x", "tea"),
      ("한국어 e\u{301}\u{302}", "e"),
    ])
  func marksCharacters(kind: StoreKind, example: (name: String, words: String)) async throws {
    let (name, words) = example
    let store = try await kind.open().store
    let long = name + String(repeating: " tea", count: 2000)
    try await store.sync([
      FeedOffer("1", name: name), FeedOffer("2", name: name, more: [.description: long]),
    ])
    var query = SearchQuery(words)
    for maximumBytes in [nil, 10] {
      query.maximumBytes = maximumBytes
      let hits = try await store.search(query).hits
      #expect(hits.count == 2)
      for hit in hits {
        let ranges = hit.ranges(in: .name)
        #expect(!ranges.isEmpty)
        for range in ranges {
          #expect(String.Index(range.lowerBound, within: hit.offer.name) == range.lowerBound)
          #expect(String.Index(range.upperBound, within: hit.offer.name) == range.upperBound)
          #expect(!range.isEmpty)
        }
        let marked = hit.matches.first { $0.field == .name }?.scalarRanges ?? []
        #expect(
          ranges.first.map { name[$0].unicodeScalars.count } ?? 0 >= marked.first?.count ?? .max)
      }
    }
  }

  @Test(
    "a search is restricted to its feed, to favorites and to current offers",
    arguments: StoreKind.allCases)
  func selects(kind: StoreKind) async throws {
    let store = try await Self.filled(kind)
    try await store.sync([FeedOffer("1", name: "Coffee Machine")], feed: "grocer")
    func refs(_ query: SearchQuery) async throws -> [String] {
      try await store.search(query).hits.map(\.offer.ref.description).sorted()
    }
    #expect(try await refs(SearchQuery("coffee")) == ["grocer:1", "ibotta:1", "ibotta:2"])
    #expect(try await refs(SearchQuery("coffee", feed: "grocer")) == ["grocer:1"])
    #expect(try await refs(SearchQuery("coffee", favoritesOnly: true)) == [])
    try await store.setFavorites(named: ["ibotta:2"], to: true)
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
    try await store.setFavorites(named: ["grocer:1", "ibotta:9"], to: true)
    #expect(
      try await refs(SearchQuery("coffee", favoritesOnly: true))
        == ["grocer:1", "ibotta:2", "ibotta:9"])
    await #expect(throws: OffersError.self) {
      try await store.search(SearchQuery("coffee", feed: "nobody"))
    }
  }

  @Test("pages list every result once, without a gap", arguments: StoreKind.allCases)
  func pages(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync((1...45).map { FeedOffer("\($0)", name: "Tea") })
    var ids: [String] = []
    for page in 1...5 {
      let results = try await store.search(SearchQuery("tea", limit: 10, page: page))
      ids += results.hits.map(\.offer.ref.offerID)
      #expect(results.hasMore == (page < 5))
    }
    #expect(Set(ids) == Set((1...45).map(String.init)) && ids.count == 45)
    let behind = try await store.search(SearchQuery("tea", limit: 10, page: 6))
    #expect(behind == SearchResults())
    for (limit, page) in [(0, 1), (1, 0), (-1, 1), (.max, 1), (1, .max)] {
      await #expect(throws: OffersError.self) {
        try await store.search(SearchQuery("tea", limit: limit, page: page))
      }
    }
  }
}
