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
    if words.isEmpty { return SearchResults() }
    if let page = try page(of: words, query) { return page }
    let opened = try SearchWords(query.words, opensLetter: true)
    if opened != words, let page = try page(of: opened, query) { return page }
    return SearchResults(correctedWords: try findNearest(to: words)?.text)
  }

  /// A page of the results of a search; nil if it has no results at all.
  private func page(of words: SearchWords, _ query: SearchQuery) throws -> SearchResults? {
    let marks = SearchHighlighter(words)
    var hits = SearchHits(maximumBytes: query.maximumBytes)
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
  package func check() throws {
    if limit > 0, page > 0, limit < Int32.max, page < Int32.max { return }
    throw OffersError(.invalidRequest, "A search needs a limit and a page of at least 1.")
  }
}
