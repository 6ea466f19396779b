import OffersCore
import OffersStore
import Testing

@Suite("Recent searches")
struct RecentSearchRules {
  private static func note(
    _ words: String, feed: String? = nil, at seconds: Int = 1, in store: OffersDatabase
  ) async throws {
    try await store.noteSearch(
      RecentSearch(words: words, feed: feed, searchedAt: .at(seconds)))
  }

  private static func words(_ store: OffersDatabase) async throws -> [String] {
    try await store.fetchRecentSearches().map(\.words)
  }

  @Test("the last 10 are kept, the latest first", arguments: StoreKind.allCases)
  func keepsTen(kind: StoreKind) async throws {
    let store = try await kind.open().store
    #expect(try await Self.words(store) == [])
    for number in 1...25 { try await Self.note("tea \(number)", in: store) }
    #expect(try await Self.words(store) == (16...25).reversed().map { "tea \($0)" })
  }

  @Test(
    "an equal search moves to the top, in any spelling; one of another feed is separate",
    arguments: StoreKind.allCases)
  func movesUp(kind: StoreKind) async throws {
    let store = try await kind.open().store
    for words in ["Café", "tea", "milk"] { try await Self.note(words, in: store) }
    try await Self.note("CAFE", at: 7, in: store)
    #expect(try await Self.words(store) == ["CAFE", "milk", "tea"])
    try await Self.note("tea", feed: "movies", in: store)
    let searches = try await store.fetchRecentSearches()
    #expect(searches.map(\.words) == ["tea", "CAFE", "milk", "tea"])
    #expect(searches.map(\.feed) == ["movies", nil, nil, nil])
    #expect(searches[1].searchedAt == .at(7))
  }

  @Test(
    "words are stored as typed, punctuation included, separated by single spaces",
    arguments: StoreKind.allCases)
  func keepsWords(kind: StoreKind) async throws {
    let store = try await kind.open().store
    for words in ["C++  &\t\"é\" #?", "!!!", "C++", "???", " ", "\0", ""] {
      try await Self.note(words, in: store)
    }
    #expect(try await Self.words(store) == ["???", "C++", "!!!", "C++ & \"é\" #?"])
  }

  @Test(
    "one search is removed by its words and its feed, and no other", arguments: StoreKind.allCases)
  func removes(kind: StoreKind) async throws {
    let store = try await kind.open().store
    for words in ["tea", "Tea bags", "milk"] { try await Self.note(words, in: store) }
    try await Self.note("tea", feed: "movies", in: store)
    #expect(try await store.removeSearch(" Tea  bags "))
    #expect(try await Self.words(store) == ["tea", "milk", "tea"])
    for (words, feed) in [("Tea bags", nil), ("TEA", nil), ("milk", "movies"), ("", nil)] {
      #expect(try await !store.removeSearch(words, of: feed), "\(words)")
    }
    #expect(try await store.removeSearch("tea"))
    let searches = try await store.fetchRecentSearches()
    #expect(searches.map(\.words) == ["tea", "milk"])
    #expect(searches.map(\.feed) == ["movies", nil])
    // It can be recorded again.
    try await Self.note("tea", in: store)
    #expect(try await Self.words(store) == ["tea", "tea", "milk"])
  }

  @Test(
    "filters in another order, or the feed among them, are the same search",
    arguments: StoreKind.allCases)
  func sameFilters(kind: StoreKind) async throws {
    let store = try await kind.open().store
    for words in ["tea reward:>=2 -feed:albums", "-feed:albums reward:>=2 tea"] {
      try await Self.note(words, in: store)
    }
    for words in ["jam feed:ibotta is:favorite", "is:favorite jam"] {
      try await Self.note(words, feed: "ibotta", in: store)
    }
    #expect(try await Self.words(store) == ["jam is:favorite", "tea -feed:albums reward:>=2"])
    #expect(try await store.removeSearch("feed:ibotta is:favorite jam", of: "ibotta"))
    #expect(try await store.removeSearch("reward:>=2 tea -feed:albums"))
    #expect(try await Self.words(store) == [])
  }

  @Test("a user removes no search of another", arguments: StoreKind.allCases)
  func removesOwn(kind: StoreKind) async throws {
    let home = try await Household(kind)
    for database in [home.owners, home.anas] { try await Self.note("tea", in: database) }
    #expect(try await home.anas.removeSearch("tea"))
    #expect(try await Self.words(home.anas) == [])
    #expect(try await Self.words(home.owners) == ["tea"])
  }

  @Test("recording the latest search again changes nothing", arguments: StoreKind.allCases)
  func repeats(kind: StoreKind) async throws {
    let store = try await kind.open().store
    try await Self.note("tea", at: 5, in: store)
    try await Self.note(" tea ", at: 9, in: store)
    #expect(
      try await store.fetchRecentSearches() == [RecentSearch(words: "tea", searchedAt: .at(5))])
    try await Self.note("Tea", at: 9, in: store)
    #expect(
      try await store.fetchRecentSearches() == [RecentSearch(words: "Tea", searchedAt: .at(9))])
  }
}
