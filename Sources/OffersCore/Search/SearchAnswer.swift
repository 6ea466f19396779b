import Foundation

/// A page of search results with their source, as `--json` and the API print it.
package struct SearchAnswer: Sendable {
  /// The source of the offers in an answer.
  package enum Source: String, Sendable {
    /// The feed's own server, in the server's order.
    case server
    /// The stored offers, best match first.
    case store
  }

  /// The words as typed.
  package let words: String
  package let feed: String?
  /// The number of the last page shown, from 1.
  package let page: Int
  package let source: Source
  package let results: SearchResults
  /// Why the server could not be searched; nil when it answered, or when no search on the server
  /// was requested.
  package var error: OffersError?
  /// Whether stored offers are shown instead of a server's results.
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

  /// Whether the search succeeded, found something, and so belongs to the recent searches. Stored
  /// offers in place of the results of a server that failed are no success.
  package var isRecent: Bool { error == nil && !results.hits.isEmpty }

  /// The most stored hits that are fetched to mark the words in a server's results.
  private static let markedLimit = 1000

  /// Searches on a feed's server, and falls back to the stored offers when it cannot be asked or
  /// finds none on the first page. A further page on which it finds none stays empty.
  ///
  /// - Parameters:
  ///   - query: the words, the feed, and the page.
  ///   - offers: the repository that the offers found by the server are read from.
  ///   - ask: searches on the server.
  ///   - searchStored: searches the stored offers.
  /// - Throws: as `SearchRepository.search`, before the server is asked for words beyond the limits.
  package static func ask(
    serverFor query: SearchQuery, in offers: any OfferRepository,
    _ ask: () async throws -> ServerSearchResults,
    _ searchStored: (SearchQuery) async throws -> SearchResults
  ) async throws -> SearchAnswer {
    try SearchWords.check(query.words)
    var error: OffersError?
    do {
      let found = try await ask()
      if !found.offers.isEmpty {
        return SearchAnswer(
          words: query.words, feed: query.feed, page: found.lastPage, source: .server,
          results: try await results(of: found, query, offers, searchStored))
      }
    } catch let failure as OffersError {
      error = failure
    }
    // The requested page may be past the server's last one. The same page of the stored offers
    // would be misleading there, because the pages before it were the server's.
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

  /// The offers that the server found, with the words marked in those that the local search finds.
  private static func results(
    of search: ServerSearchResults, _ query: SearchQuery, _ offers: any OfferRepository,
    _ searchStored: (SearchQuery) async throws -> SearchResults
  ) async throws -> SearchResults {
    var marked = SearchQuery(
      query.words, feed: query.feed, includesExpired: true, now: query.now, limit: markedLimit)
    marked.maximumBytes = query.maximumBytes
    let stored = try await searchStored(marked)
    var matches: [OfferRef: [SearchMatch]] = [:]
    for hit in stored.hits { matches[hit.offer.ref] = hit.matches }
    var found = SearchHits(maximumBytes: query.maximumBytes)
    for ref in search.offers {
      guard let offer = try await offers.findOffer(ref) else { continue }
      found.append(offer) { fields in
        matches[ref, default: []].filter { fields.contains($0.field) }
      }
    }
    return SearchResults(hits: found.hits, hasMore: search.hasMore)
  }

  /// The stored offers that match; none when the feed is not stored yet.
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

extension JSONWriter {
  /// Writes a page of search results. `now` is the time at which offers count as expired.
  package mutating func value(_ answer: SearchAnswer, at now: Date) {
    object { json in
      json.member("words", answer.words)
      json.member("corrected_words", answer.results.correctedWords)
      json.member("feed", answer.feed)
      json.member("page", answer.page)
      json.member("has_more", answer.results.hasMore)
      json.member("source", answer.source.rawValue)
      json.member("error", answer.error)
      json.member("offers", each: answer.results.hits) { $0.value($1, at: now) }
    }
  }

  /// Writes an offer with the positions of the words in it.
  private mutating func value(_ hit: SearchHit, at now: Date) {
    value(hit.offer, at: now) { json in
      json.member("abridged", hit.isAbridged)
      json.member("matches", objects: hit.matches) { json, match in
        json.member("field", match.field.rawValue)
        json.member("index", match.index)
        json.member("ranges", each: match.scalarRanges) { json, range in
          json.array { json in
            json.value(range.lowerBound)
            json.value(range.upperBound)
          }
        }
      }
    }
  }

  /// Writes the recent searches.
  package mutating func value(_ searches: [RecentSearch]) {
    object { json in
      json.member("searches", objects: searches.enumerated()) { json, search in
        json.member("number", search.offset + 1)
        json.member("words", search.element.words)
        json.member("feed", search.element.feed)
        json.member("searched_at", search.element.searchedAt)
      }
    }
  }
}
