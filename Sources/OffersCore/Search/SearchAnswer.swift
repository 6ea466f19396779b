/// A page of what was found, and by whom, as `--json` and the API print it.
package struct SearchAnswer: Sendable {
  /// Where the offers of an answer come from.
  package enum Source: String, Sendable {
    /// The feed's own server, in its order.
    case server
    /// What is stored, best first.
    case store
  }

  /// As typed.
  package let words: String
  package let feed: String?
  /// The last page of what there is to see, from 1.
  package let page: Int
  package let source: Source
  package let results: SearchResults
  /// Why the server did not find it; nil when it was asked, or need not be.
  package var error: OffersError?
  /// Whether stored offers stand in for those of a server.
  package var isStandIn = false

  package init(
    words: String, feed: String?, page: Int, source: Source, results: SearchResults
  ) {
    self.words = words
    self.feed = feed
    self.page = page
    self.source = source
    self.results = results
  }

  /// The words that were looked for in the end.
  package var foundWords: String { results.correctedWords ?? words }

  /// Most offers that are looked at to mark the words in what a server found.
  private static let markedLimit = 1000

  /// Lets the server of a feed search; what is stored stands in for one that cannot be asked.
  ///
  /// - Parameters:
  ///   - query: the words, its `serverFeed`, and which page.
  ///   - limit: how many of the server's page; nil for all of it.
  ///   - ask: asks the server.
  ///   - searchStored: searches what is stored.
  package static func ask(
    serverFor query: SearchQuery, limit: Int?, in offers: any OfferRepository,
    _ ask: () async throws -> ServerSearch,
    _ searchStored: (SearchQuery) async throws -> SearchResults
  ) async throws -> SearchAnswer {
    var error: OffersError?
    do {
      let found = try await ask()
      error = found.run.error
      if !found.offers.isEmpty {
        return SearchAnswer(
          words: query.words, feed: query.feed, page: found.lastPage, source: .server,
          results: try await results(of: found, query, limit, offers, searchStored))
      }
    } catch let failure as OffersError {
      error = failure
    }
    // A page that the server has not got is not the same page of what is stored.
    let isPastEnd = error == nil && query.page > 1
    let results =
      isPastEnd ? SearchResults() : try await known(query, searchStored)
    var answer = SearchAnswer(
      words: query.words, feed: query.feed, page: query.page,
      source: error == nil && results.hits.isEmpty ? .server : .store, results: results)
    answer.error = error
    answer.isStandIn = true
    return answer
  }

  /// The offers that a server found, with the words marked where they have all of them.
  private static func results(
    of search: ServerSearch, _ query: SearchQuery, _ limit: Int?, _ offers: any OfferRepository,
    _ searchStored: (SearchQuery) async throws -> SearchResults
  ) async throws -> SearchResults {
    var marked = SearchQuery(query.words, feed: query.feed, limit: markedLimit)
    marked.maximumBytes = query.maximumBytes
    let stored = try await searchStored(marked)
    var matches: [OfferRef: [SearchMatch]] = [:]
    if stored.correctedWords == nil {
      for hit in stored.hits { matches[hit.offer.ref] = hit.matches }
    }
    var found = SearchHits(maximumBytes: query.maximumBytes)
    for ref in search.offers where found.hits.count < limit ?? .max {
      guard let offer = try await offers.findOffer(ref) else { continue }
      found.append(offer, matches[ref] ?? [])
    }
    return SearchResults(hits: found.hits, hasMore: search.hasMore)
  }

  /// What is stored of a feed, which need not be anything yet.
  private static func known(
    _ query: SearchQuery, _ searchStored: (SearchQuery) async throws -> SearchResults
  ) async throws -> SearchResults {
    do {
      return try await searchStored(query)
    } catch let error as OffersError where error.code == .notFound {
      return SearchResults()
    }
  }
}
