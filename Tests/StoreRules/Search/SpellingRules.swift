import OffersCore
import OffersStore
import OffersTestSupport
import Testing

@Suite("Spelling correction")
struct SpellingRules {
  private static func store(_ kind: StoreKind, _ names: [String]) async throws -> OffersDatabase {
    let store = try await kind.open().store
    try await store.sync(names.enumerated().map { FeedOffer("\($0 + 1)", name: $1) })
    return store
  }

  private static let typos = [
    ("cofee", "coffee"), ("coffe machin", "coffee machin"), ("cofefe", "coffee"),
    ("machnie coffee", "machine coffee"), ("cofee mahcine", "coffee machine"),
    ("lumeire", "lumiere"), ("shanpoo", "shampoo"), ("tae", "tea"),
    ("Gren TEA", "green TEA"), ("choclate", "chocolate"), ("restuarent", "restaurant"),
  ]

  private static let names = [
    "Coffee Machine", "Coffee Machines", "Café Lumière", "Kellogg’s", "Shampoo", "Green Tea",
    "Chocolate", "Restaurant",
  ]

  @Test(
    "for a typo the nearest indexed words are proposed, which find something",
    arguments: StoreKind.allCases)
  func corrects(kind: StoreKind) async throws {
    let store = try await Self.store(kind, Self.names)
    for (words, corrected) in Self.typos {
      let results = try await store.search(SearchQuery(words))
      #expect(results == SearchResults(correctedWords: corrected), "\(words)")
      #expect(try await !store.search(SearchQuery(corrected)).hits.isEmpty, "\(words)")
    }
    #expect(try await store.search(SearchQuery("shampo")).correctedWords == nil)
  }

  @Test(
    "another word is not proposed: with another first letter, with two edits in a short word, or with another letter in a very short one",
    arguments: StoreKind.allCases)
  func proposesNoOtherWord(kind: StoreKind) async throws {
    let store = try await Self.store(
      kind,
      [
        "Badlands", "Care", "Car", "Coffee", "Shampoo", "Tea", "Battery", "Butterscotch", "Heat",
        "Steamer",
      ])
    for words in ["batman", "café", "xoffee", "shanpo", "teq", "butler", "steak", "cheat", "cars"] {
      #expect(try await store.search(SearchQuery(words)) == SearchResults(), "\(words)")
    }
  }

  @Test(
    "for larger differences, short words and numbers nothing is proposed",
    arguments: StoreKind.allCases)
  func guessesNoFurther(kind: StoreKind) async throws {
    let store = try await Self.store(kind, ["Coffee 12", "Tea 130", "Ta", "日光"])
    for words in ["cxfxex", "tx", "tae x9", "120", "140", "q", "日本"] {
      #expect(
        try await store.search(SearchQuery(words)) == SearchResults(), "\(words)")
    }
  }

  @Test("for words that match nothing is proposed", arguments: StoreKind.allCases)
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

  @Test("every page of a search without results has the proposal", arguments: StoreKind.allCases)
  func pages(kind: StoreKind) async throws {
    let store = try await Self.store(kind, (1...5).map { "Coffee \($0)" })
    for page in 1...3 {
      let results = try await store.search(SearchQuery("cofee", limit: 2, page: page))
      #expect(results == SearchResults(correctedWords: "coffee"))
    }
  }
}
