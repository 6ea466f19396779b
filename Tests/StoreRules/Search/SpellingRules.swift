import OffersCore
import OffersTestSupport
import Testing

@Suite("Spelling correction")
struct SpellingRules {
  private static func store(_ kind: StoreKind, _ names: [String]) async throws -> any RuledStore {
    let store = try await kind.open().store
    try await store.sync(names.enumerated().map { FeedOffer("\($0 + 1)", name: $1) })
    return store
  }

  private static let typos = [
    ("cofee", "coffee"), ("coffe machin", "coffee machin"), ("cofefe", "coffee"),
    ("xoffee", "coffee"), ("machnie coffee", "machine coffee"),
    ("cofee mahcine", "coffee machine"), ("lumeire", "lumiere"), ("kelloggs", "kellogg"),
    ("shampo", nil), ("shanpo", "shampoo"), ("teq", "tea"), ("Gren TEA", "green TEA"),
  ]

  @Test(
    "a typo is corrected to the nearest indexed words, which are reported",
    arguments: StoreKind.allCases)
  func corrects(kind: StoreKind) async throws {
    let store = try await Self.store(
      kind,
      [
        "Coffee Machine", "Coffee Machines", "Café Lumière", "Kellogg’s", "Shampoo", "Green Tea",
      ])
    for (words, corrected) in Self.typos {
      let results = try await store.search(SearchQuery(words))
      #expect(results.correctedWords == corrected, "\(words)")
      #expect(!results.hits.isEmpty, "\(words)")
    }
  }

  @Test(
    "larger differences, short words and numbers are not corrected", arguments: StoreKind.allCases)
  func guessesNoFurther(kind: StoreKind) async throws {
    let store = try await Self.store(kind, ["Coffee 12", "Tea 130", "Ta", "日光"])
    for words in ["cxfxex", "tx", "tae x9", "120", "140", "q", "日本"] {
      #expect(
        try await store.search(SearchQuery(words)) == SearchResults(), "\(words)")
    }
  }

  @Test("words that match are never corrected", arguments: StoreKind.allCases)
  func leavesWhatIsThere(kind: StoreKind) async throws {
    let store = try await Self.store(kind, ["Cofee", "Coffee", "Coffee"])
    let results = try await store.search(SearchQuery("cofee"))
    #expect(results.correctedWords == nil && results.hits.map(\.offer.name) == ["Cofee"])
  }

  @Test(
    "among equally near words the most frequent one with a result is chosen",
    arguments: StoreKind.allCases)
  func prefersTheFrequent(kind: StoreKind) async throws {
    let store = try await Self.store(kind, ["Bread", "Bream", "Bream", "Brea Tea"])
    #expect(try await store.search(SearchQuery("breax")).correctedWords == "bream")
    #expect(try await store.search(SearchQuery("breax tea")).correctedWords == "brea tea")
    try await store.setFavorites(named: ["1"], to: true)
    #expect(
      try await store.search(SearchQuery("breax", favoritesOnly: true)).correctedWords
        == "bread")
  }

  @Test(
    "the pages of a corrected search are those of the corrected words",
    arguments: StoreKind.allCases)
  func pages(kind: StoreKind) async throws {
    let store = try await Self.store(kind, (1...5).map { "Coffee \($0)" })
    var names: Set<String> = []
    for page in 1...3 {
      let results = try await store.search(SearchQuery("cofee", limit: 2, page: page))
      #expect(results.correctedWords == "coffee" && results.hasMore == (page < 3))
      names.formUnion(results.hits.map(\.offer.name))
    }
    #expect(names.count == 5)
  }
}
