import OffersCore

/// A search among what is stored, or by the server of a feed, for which what is stored stands in.
struct PageSearch {
  let content: ServedContent
  let feed: String?
  let asksServer: Bool

  struct Found {
    var results: SearchResults
    /// Which page it is, from 1.
    var page: Int
    /// Why the server could not be asked.
    var error: OffersError?
  }

  func find(_ words: String, page: Int, limit: Int) async throws -> Found {
    var found = Found(results: SearchResults(), page: page)
    if asksServer, let feed {
      do {
        let search = try await content.syncer.search(feed, for: words, page: page)
        found.error = search.run.error
        found.page = search.lastPage
        found.results = try await results(of: search, words, feed)
      } catch let error as OffersError {
        found.error = error
      }
      // A page that the server has not got is not the same page of what is stored.
      if !found.results.hits.isEmpty || found.error == nil && page > 1 {
        try await note(words, found)
        return found
      }
    }
    let query = SearchQuery(words, feed: feed, limit: limit, page: page)
    do {
      found.results = try await content.store.search(query)
    } catch let error as OffersError where error.code == .notFound && asksServer {
      // Nothing is stored of it yet.
    }
    try await note(words, found)
    return found
  }

  private func note(_ words: String, _ found: Found) async throws {
    guard found.page == 1, !found.results.hits.isEmpty else { return }
    let words = found.results.correctedWords ?? words
    try await content.store.noteSearch(
      RecentSearch(words: words, feed: feed, searchedAt: content.now()))
  }

  private func results(
    of search: ServerSearch, _ words: String, _ feed: String
  ) async throws -> SearchResults {
    guard !search.offers.isEmpty else { return SearchResults() }
    let stored = try await content.store.search(SearchQuery(words, feed: feed, limit: 1000))
    let matches = Dictionary(
      stored.hits.map { ($0.offer.ref, $0.matches) }, uniquingKeysWith: { one, _ in one })
    var hits: [SearchHit] = []
    for ref in search.offers {
      guard let offer = try await content.store.findOffer(ref) else { continue }
      let matches = stored.correctedWords == nil ? matches[ref] ?? [] : []
      hits.append(SearchHit(offer: offer, matches: matches))
    }
    return SearchResults(hits: hits, hasMore: search.hasMore)
  }
}
