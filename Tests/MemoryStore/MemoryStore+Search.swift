import Foundation
import OffersCore

extension MemoryStore: SearchPreparation {
  package func search(_ query: SearchQuery) async throws -> SearchResults {
    try query.check()
    return try read { state in
      try state.checkFeed(query.feed)
      let offers = state.searched(by: query, of: user)
      let tokenizer = LetterTokenizer()
      let words = try SearchWords(query.words, by: tokenizer)
      for words in [words, try SearchWords(query.words, opensLetter: true, by: tokenizer)] {
        let hits = words.isEmpty ? [] : try Self.hits(of: words, in: offers, query)
        if !hits.isEmpty { return Self.page(of: hits, query) }
      }
      return SearchResults(
        correctedWords: words.isEmpty ? nil : SearchSpelling(words, in: offers).nearest?.text)
    }
  }

  package func fetchRecentSearches() async throws -> [RecentSearch] {
    try read { $0.record(of: user).searches }
  }

  package func noteSearch(_ search: RecentSearch) async throws {
    let typed = SearchWords.spaced(search.words)
    let new = RecentSearch(
      words: typed, feed: search.feed, searchedAt: search.searchedAt.inSeconds)
    try write { state in
      try state.changeRecord(of: user) { record in
        if let last = record.searches.first, last.feed == new.feed,
          last.words.hasSameBytes(as: new.words)
        {
          return
        }
        if typed.isEmpty { return }
        record.searches.removeAll { $0.feed == new.feed && Self.isSame($0.words, typed) }
        record.searches = Array(([new] + record.searches).prefix(RecentSearch.limit))
      }
    }
  }

  @discardableResult
  package func removeSearch(_ id: RecentSearch.ID) async throws -> Bool {
    let typed = SearchWords.spaced(id.words)
    return try write { state in
      let old = state.record(of: user).searches
      let kept = old.filter { $0.feed != id.feed || !$0.words.hasSameBytes(as: typed) }
      try state.changeRecord(of: user) { $0.searches = kept }
      return kept.count < old.count
    }
  }

  /// Whether two searches find the same: they have the same words, or none or too many for a search
  /// and the same signs.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    let (one, other) = (words(left), words(right))
    return one == other && (!one.isEmpty || left.hasSameBytes(as: right))
  }

  private static func words(_ text: String) -> [[String]] {
    let words = try? SearchWords(text, by: LetterTokenizer())
    return words?.parts.map { $0.words + [$0.isOpen ? "*" : ""] } ?? []
  }

  private static func page(of hits: [SearchHit], _ query: SearchQuery) -> SearchResults {
    var page = SearchHits(maximumBytes: query.maximumBytes)
    let rest = hits.dropFirst((query.page - 1) * query.limit)
    for hit in rest.prefix(query.limit) {
      page.append(hit.offer) { fields in hit.matches.filter { fields.contains($0.field) } }
    }
    return SearchResults(hits: page.hits, hasMore: rest.count > query.limit)
  }

  /// The offers with all parts of a search, the best first, expired ones last.
  private static func hits(
    of words: SearchWords, in offers: [SearchedOffer], _ query: SearchQuery
  ) throws -> [SearchHit] {
    let now = query.now ?? Date()
    let marks = SearchMarks(words)
    let found = try offers.compactMap { offer -> (rank: Int, isExpired: Bool, hit: SearchHit)? in
      guard let rank = offer.rank(words) else { return nil }
      let matches = try marks.matches(in: offer.offer.offer, by: LetterTokenizer())
      return (
        rank, offer.offer.isExpired(at: now), SearchHit(offer: offer.offer, matches: matches)
      )
    }
    return found.sorted {
      !$0.isExpired && $1.isExpired || ($0.isExpired == $1.isExpired && $0.rank > $1.rank)
    }
    .map(\.hit)
  }
}

extension MemoryState {
  /// The offers that a search is about: of its feed, current or found by a search on a server, or a
  /// user's favorites.
  fileprivate func searched(by query: SearchQuery, of user: User.ID) -> [SearchedOffer] {
    let now = query.now ?? Date()
    return offers.compactMap { offer in
      let view = view(offer, of: user)
      guard query.feed ?? view.ref.feed == view.ref.feed,
        query.favoritesOnly ? view.isFavorite : view.goneAt == nil,
        query.favoritesOnly || query.includesExpired || !view.isExpired(at: now)
      else { return nil }
      // The attributes that all offers of a feed share are not searched.
      return SearchedOffer(view, own: offer.offer())
    }
  }
}
