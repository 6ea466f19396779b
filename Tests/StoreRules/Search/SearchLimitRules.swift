import OffersCore
import OffersTestSupport
import Testing

@Suite("Limits of searches")
struct SearchLimitRules {
  /// An offer whose attributes repeat a word, up to the limits of an offer.
  private static func repeating(_ word: String, bytes: Int) -> FeedOffer {
    let value = String(repeating: word + " ", count: (16 << 10) / (word.utf8.count + 1) - 1)
    let attributes = repeatElement(#"["Of","\#(value)"]"#, count: bytes / (16 << 10))
    return FeedOffer(
      "1", name: "Noodles", more: [.attributes: "[\(attributes.joined(separator: ","))]"])
  }

  private static func marks(_ hit: SearchHit) -> Int {
    hit.matches.reduce(0) { $0 + $1.ranges.count }
  }

  @Test(
    "the time of a search is linear in an offer's text, and 100 places of an offer are told",
    arguments: StoreKind.allCases, [1 << 20, 4 << 20])
  func isLinear(kind: StoreKind, bytes: Int) async throws {
    let store = try await kind.open().store
    try await store.sync([Self.repeating("pasta", bytes: bytes)])
    for words in ["pasta", "pasta noodles", "past", "pasta-pasta-pasta", "pasta pasta-pas"] {
      var hits: [SearchHit] = []
      let time = try await ContinuousClock().measure {
        hits = try await store.search(SearchQuery(words)).hits
      }
      // Places that overlap are one.
      let isPhrase = words.contains("-")
      #expect(hits.map(Self.marks) == [isPhrase ? 5 : 100], "\(words)")
      // It takes a fraction of a second; a quadratic search takes 20 seconds and more.
      #expect(time < .seconds(10), "\(words): \(time)")
    }
  }

  @Test(
    "words behind the first 64 KiB of a field are found and not marked",
    arguments: StoreKind.allCases)
  func marksBeginnings(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let long = String(repeating: "- ", count: 32 << 10)
    try await store.sync([
      FeedOffer("1", name: "Milk", description: "tea" + long + " tea", more: [.terms: "a tea"]),
      FeedOffer("2", name: "Milk", description: long.dropLast(2) + "tea"),
    ])
    let hits = try await store.search(SearchQuery("tea")).hits
    let marks = hits.map { hit in hit.matches.map { "\($0.field) \($0.scalarRanges)" } }
    #expect(marks == [["description [Range(0..<3)]", "terms [Range(2..<5)]"], []])
  }

  @Test(
    "matches in many elements are reported, up to the limit of an offer",
    arguments: StoreKind.allCases)
  func manyMatches(kind: StoreKind) async throws {
    let store = try await kind.open().store
    let categories = (0..<10_000).map { "\"c\($0)\"" }.joined(separator: ",")
    try await store.sync([FeedOffer("1", more: [.categories: "[\(categories)]"])])
    let hits = try await store.search(SearchQuery("c")).hits
    #expect(hits.map { $0.matches.map(\.index) } == [Array(0..<SearchHighlighter.limit)])
  }

  @Test(
    "an offer with the longest texts is stored, and found by its words",
    arguments: StoreKind.allCases)
  func longTexts(kind: StoreKind) async throws {
    let store = try await kind.open().store
    // A number in letters.
    func letters(_ number: Int) -> String {
      String(
        String.UnicodeScalarView("\(number)".utf8.compactMap { Unicode.Scalar(UInt32($0) + 49) }))
    }
    let words = (0..<30_000).map { "wörd\(letters($0))" }.joined(separator: " ")
    let attributes = (0..<200).map { #"["L","value\#(letters($0)) \#(words.prefix(15_000))"]"# }
    try await store.sync([
      FeedOffer(
        "1", name: "Tea", description: words,
        more: [
          .terms: String(repeating: "x", count: 200_000),
          .attributes: "[\(attributes.joined(separator: ","))]",
        ])
    ])
    // The beginning of the long word, as long as a search may be.
    let long = String(repeating: "x", count: SearchWords.characterLimit)
    for search in ["wordcjjjj", "wordbh wordbi", "valuebjj", long] {
      #expect(try await store.search(SearchQuery(search)).hits.count == 1, "\(search.prefix(20))")
    }
  }

  private static let long = [
    String(repeating: "a-", count: 51), Array(repeating: "tea", count: 51).joined(separator: " "),
    String(repeating: "a-", count: 3500), String(repeating: "x", count: 1001),
    String(repeating: "-", count: 1001), "e" + String(repeating: "\u{301}", count: 1000),
    (0..<51).map { "w\($0)" }.joined(separator: " "),
  ]

  @Test(
    "a search has at most 50 words and 1,000 characters, however they are separated",
    arguments: StoreKind.allCases)
  func refuses(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await store.sync([FeedOffer("1", name: "tea")])
    for words in Self.long {
      for favoritesOnly in [false, true] {
        let error = await #expect(throws: OffersError.self) {
          try await store.search(SearchQuery(words, favoritesOnly: favoritesOnly))
        }
        #expect(error?.code == .invalidRequest && error?.hint != nil, "\(words.prefix(20))")
        #expect(error?.message.hasPrefix("A search has at most ") == true)
      }
    }
    let most = [
      String(repeating: "a-", count: 50), Array(repeating: "tea", count: 50).joined(separator: " "),
      String(repeating: "x", count: 1000),
    ]
    for words in most { _ = try await store.search(SearchQuery(words)) }
  }

  @Test(
    "a recent search may be any text, such as one of an older export", arguments: StoreKind.allCases
  )
  func notes(kind: StoreKind) async throws {
    let store = try await kind.open().store
    for words in Self.long + Self.long {
      try await store.noteSearch(RecentSearch(words: words, searchedAt: .at(1)))
    }
    #expect(try await store.fetchRecentSearches().map(\.words) == Self.long.reversed())
  }
}
