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

  /// The words and filters as typed.
  package var words: String
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
