/// The index of a store's offers, as one read of the store searches it.
package protocol SearchedIndex {
  /// Calls `body` with the offers that have all words, the best first, one at a time, so that not all are
  /// in memory.
  func forEachOffer(
    with words: SearchWords, limit: Int, offset: Int, _ body: (UserOffer) throws -> Void) throws

  /// Whether any offer has all words.
  func finds(_ words: SearchWords) throws -> Bool

  /// The best other spellings of each word, at most `SpellingCandidate.limit`.
  func candidates(for words: [MisspelledWord]) throws -> [[SpellingCandidate]]
}

extension SearchedIndex {
  /// The results of a search: of its words; else with a single letter at the end as the beginning of a
  /// word; else none, with the nearest other spelling that has results as a proposal.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a text with too many characters or words.
  package func results(of query: SearchQuery) throws -> SearchResults {
    let words = try SearchWords(query.words)
    // A text of signs only finds nothing, and neither does a search without words and filters.
    if words.isEmpty, words.unwanted.isEmpty,
      !query.selection.words.isEmpty
        || !query.selection.isNarrowed(besides: [])
    {
      return SearchResults()
    }
    if let page = try page(of: words, query) { return page }
    let opened = try SearchWords(query.words, opensLetter: true)
    if opened != words, let page = try page(of: opened, query) { return page }
    return SearchResults(correctedWords: try findNearest(to: words)?.text)
  }

  /// A page of the results of a search; nil if it has no results at all.
  private func page(of words: SearchWords, _ query: SearchQuery) throws -> SearchResults? {
    let marks = SearchHighlighter(words)
    var hits = SearchHitCollector(maximumBytes: query.maximumBytes)
    var count = 0
    let offset = (query.page - 1) * query.limit
    try forEachOffer(with: words, limit: query.limit + 1, offset: offset) { offer in
      count += 1
      if count > query.limit { return }
      hits.append(offer) { marks.matches(in: offer.offer, $0) }
    }
    if count == 0, try query.page == 1 || !finds(words) { return nil }
    return SearchResults(hits: hits.hits, hasMore: count > query.limit)
  }

  /// The search with results whose replacements have the smallest edit distances in total; nil if none of
  /// the attempts has results. Among equal ones, common words win.
  private func findNearest(to search: SearchWords) throws -> SearchWords? {
    let words = MisspelledWord.all(in: search.parts)
    if words.isEmpty { return nil }
    for choice in SpellingCandidate.combinations(try candidates(for: words)) {
      let attempt = search.replacing(
        zip(words, choice).compactMap { word, candidate in
          candidate.map { (word.part, word.word, $0.word) }
        })
      if try finds(attempt) { return attempt }
    }
    return nil
  }
}

extension SearchQuery {
  /// Checks the numbers of a search.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  package func check() throws(OffersError) {
    if limit > 0, page > 0, limit < Int32.max, page < Int32.max { return }
    throw OffersError(.invalidRequest, "A search needs a limit and a page of at least 1.")
  }
}

/// The order of the results of a search: by the sum of the best weight of each part of the search, then in
/// the order in which offers were found.
package enum SearchRank {
  /// A field's weight for a word that only begins with the searched one. A whole word, and each part of the
  /// search but the last one, counts `wholeFactor` times as much.
  package static func weight(of field: SearchMatch.Field) -> Int {
    switch field {
    case .name: 20
    case .retailer: 10
    case .description, .categories: 6
    case .attributes, .terms: 3
    }
  }

  package static let wholeFactor = 2

  /// The different weights, the highest first.
  package static let weights = Set(SearchMatch.Field.allCases.map(weight)).sorted(by: >)
}

/// A word of a search for which a store looks for other spellings.
package struct MisspelledWord: Sendable {
  /// The number of the part of the search, and that of the word in it.
  package let part: Int
  package let word: Int
  package let text: String
  /// The maximum edit distance of another spelling.
  package let limit: Int

  /// The maximum number of words that are corrected.
  private static let countLimit = 8

  /// The words of a search that may be misspelled, in their order.
  package static func all(in parts: [SearchWords.Part]) -> [MisspelledWord] {
    var found: [MisspelledWord] = []
    for (number, part) in parts.enumerated() where !part.isFixed {
      for (index, word) in part.words.enumerated() {
        let limit = limit(for: word)
        if limit > 0, found.count < countLimit {
          found.append(MisspelledWord(part: number, word: index, text: word, limit: limit))
        }
      }
    }
    return found
  }

  /// The maximum edit distance for a word: one edit, and two in a long word. 0 for words of one or two
  /// letters, for those with digits, where each character changes the meaning, and for those too long
  /// for `EditDistance`.
  private static func limit(for word: String) -> Int {
    if word.unicodeScalars.contains(where: { $0.properties.numericType != nil }) { return 0 }
    switch word.unicodeScalars.count {
    case 3...7: return 1
    case 8...EditDistance.longestWord: return 2
    default: return 0
    }
  }

  package var distance: EditDistance { EditDistance(from: text, limit: limit) }

  /// The longest word that has to keep its letters: in a short word, another letter makes another
  /// word (café, care), while two swapped letters or a missing one are mistakes.
  private static let keptLimit = 4

  /// The other word as another spelling of this one; nil if it is too far from it, or the word itself.
  /// It begins with the same letter, because people rarely mistype the first one.
  ///
  /// - Parameters:
  ///   - distance: the `distance` of this word, which is computed once for many others.
  ///   - offerCount: the number of offers with the other word, as far as it is known.
  package func candidate(
    _ other: String, at distance: EditDistance, offerCount: Int64 = 0
  ) -> SpellingCandidate? {
    let (typed, letters) = (text.unicodeScalars, other.unicodeScalars)
    guard letters.first == typed.first, other != text else { return nil }
    if typed.count <= Self.keptLimit, !typed.allSatisfy(letters.contains) { return nil }
    return distance.distance(to: other).map {
      SpellingCandidate(word: other, cost: $0, offerCount: offerCount)
    }
  }
}

/// Another spelling of a word of a search.
package struct SpellingCandidate: Sendable {
  /// The maximum number of candidates per word.
  package static let limit = 4
  /// The maximum number of combinations that are tried.
  private static let combinationLimit = 40

  package let word: String
  /// The edit distance.
  let cost: Int
  package var offerCount: Int64

  package func isBetter(than other: SpellingCandidate) -> Bool {
    if cost != other.cost { return cost < other.cost }
    return offerCount == other.offerCount ? word < other.word : offerCount > other.offerCount
  }

  /// The combinations of the candidates of several words, by ascending cost: for each word its
  /// replacement, or nil to leave it as it is.
  package static func combinations(_ candidates: [[SpellingCandidate]]) -> [[SpellingCandidate?]] {
    var choices: [(cost: Int, choice: [SpellingCandidate?])] = [(0, [])]
    for options in candidates {
      let all = [nil] + options.map(Optional.some)
      choices = choices.flatMap { base in
        all.map { (base.cost + ($0?.cost ?? 0), base.choice + [$0]) }
      }
      // The sort is stable, so equal costs keep the order of the candidates.
      choices.sort { $0.cost < $1.cost }
      choices = Array(choices.prefix(combinationLimit))
    }
    return choices.map(\.choice).filter { $0.contains { $0 != nil } }
  }
}
