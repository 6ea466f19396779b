import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSQLite

@Suite("Spelling correction")
struct SpellingTests {
  private static func store(_ names: [String]) async throws -> Store {
    let store = try await Store()
    try await store.sync(names.enumerated().map { FeedOffer("\($0 + 1)", name: $1) })
    return store
  }

  private static let typos = [
    ("cofee", "coffee"), ("coffe machin", "coffee machin"), ("cofefe", "coffee"),
    ("xoffee", "coffee"), ("machnie coffee", "machine coffee"),
    ("cofee mahcine", "coffee machine"), ("lumeire", "lumiere"), ("kelloggs", "kellogg"),
    ("shampo", nil), ("shanpo", "shampoo"), ("teq", "tea"), ("Gren TEA", "green TEA"),
  ]

  @Test("a typo is corrected to the nearest indexed words, which are reported")
  func corrects() async throws {
    let store = try await Self.store([
      "Coffee Machine", "Coffee Machines", "Café Lumière", "Kellogg’s", "Shampoo", "Green Tea",
    ])
    for (words, corrected) in Self.typos {
      let results = try await store.database.search(SearchQuery(words))
      #expect(results.correctedWords == corrected, "\(words)")
      #expect(!results.hits.isEmpty, "\(words)")
    }
  }

  @Test("larger differences, short words and numbers are not corrected")
  func guessesNoFurther() async throws {
    let store = try await Self.store(["Coffee 12", "Tea 130", "Ta", "日光"])
    for words in ["cxfxex", "tx", "tae x9", "120", "140", "q", "日本"] {
      #expect(
        try await store.database.search(SearchQuery(words)) == SearchResults(), "\(words)")
    }
  }

  @Test("words that match are never corrected")
  func leavesWhatIsThere() async throws {
    let store = try await Self.store(["Cofee", "Coffee", "Coffee"])
    let results = try await store.database.search(SearchQuery("cofee"))
    #expect(results.correctedWords == nil && results.hits.map(\.offer.name) == ["Cofee"])
  }

  @Test("among equally near words the most frequent one with a result is chosen")
  func prefersTheFrequent() async throws {
    let store = try await Self.store(["Bread", "Bream", "Bream", "Brea Tea"])
    #expect(try await store.database.search(SearchQuery("breax")).correctedWords == "bream")
    #expect(try await store.database.search(SearchQuery("breax tea")).correctedWords == "brea tea")
    _ = try await store.database.setFavorites(named: ["1"], to: true)
    #expect(
      try await store.database.search(SearchQuery("breax", favoritesOnly: true)).correctedWords
        == "bread")
  }

  @Test("the pages of a corrected search are those of the corrected words")
  func pages() async throws {
    let store = try await Self.store((1...5).map { "Coffee \($0)" })
    var names: Set<String> = []
    for page in 1...3 {
      let results = try await store.database.search(SearchQuery("cofee", limit: 2, page: page))
      #expect(results.correctedWords == "coffee" && results.hasMore == (page < 3))
      names.formUnion(results.hits.map(\.offer.name))
    }
    #expect(names.count == 5)
  }

  /// The edit distance by its definition, without a limit.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var table = Array(
      repeating: Array(repeating: 0, count: right.count + 1), count: left.count + 1)
    for row in 0...left.count {
      for column in 0...right.count {
        if row == 0 || column == 0 {
          table[row][column] = row + column
          continue
        }
        let same = left[row - 1] == right[column - 1] ? 0 : 1
        table[row][column] = min(
          table[row - 1][column] + 1, table[row][column - 1] + 1,
          table[row - 1][column - 1] + same)
        if row > 1, column > 1, left[row - 1] == right[column - 2],
          left[row - 2] == right[column - 1]
        {
          table[row][column] = min(table[row][column], table[row - 2][column - 2] + 1)
        }
      }
    }
    return table[left.count][right.count]
  }

  @Test("the edit distance matches its definition, up to the limit")
  func distances() {
    var random = SeededGenerator(seed: 7)
    func word() -> [Character] {
      (0..<Int.random(in: 1...7, using: &random)).map { _ in
        "abcé".randomElement(using: &random) ?? "a"
      }
    }
    for _ in 0..<3000 {
      let (left, right) = (word(), word())
      let limit = Int.random(in: 1...3, using: &random)
      let found = EditDistance(from: String(left), limit: limit).distances(to: String(right))
      let whole = Self.distance(left, right)
      let beginning = (0...right.count).map { Self.distance(left, Array(right.prefix($0))) }.min()
      #expect(found.whole == (whole > limit ? nil : whole), "\(left) \(right)")
      #expect(found.beginning == beginning.flatMap { $0 > limit ? nil : $0 }, "\(left) \(right)")
    }
  }
}
