import Foundation
import OffersCore

extension PostgresStore: SearchPreparation {
  package func search(_ query: SearchQuery) async throws -> SearchResults {
    guard query.limit > 0, query.page > 0, query.limit < Int32.max, query.page < Int32.max else {
      throw OffersError(.invalidRequest, "A search needs a limit and a page of at least 1.")
    }
    return try await database.read { [user] session in
      try FeedTable.check(query.feed, in: session)
      let words = try SearchWords(query.words, by: LetterTokenizer())
      if words.isEmpty { return SearchResults() }
      let table = SearchTable(query, of: user)
      if let page = try Self.page(of: words, query, table, in: session) { return page }
      let opened = try SearchWords(query.words, opensLetter: true, by: LetterTokenizer())
      if opened != words, let page = try Self.page(of: opened, query, table, in: session) {
        return page
      }
      let nearest = try SearchSpelling(words).findNearest(in: session) {
        try table.finds($0, in: session)
      }
      guard let nearest else { return SearchResults() }
      let page = try Self.page(of: nearest, query, table, in: session) ?? SearchResults()
      return SearchResults(hits: page.hits, hasMore: page.hasMore, correctedWords: nearest.text)
    }
  }

  /// A page of the results of a search; nil if it has no results at all.
  private static func page(
    of words: SearchWords, _ query: SearchQuery, _ table: SearchTable, in session: DatabaseSession
  ) throws -> SearchResults? {
    let found = try table.find(
      words, limit: query.limit + 1, offset: (query.page - 1) * query.limit, in: session)
    if found.isEmpty, try query.page == 1 || !table.finds(words, in: session) { return nil }
    var hits = SearchHits(maximumBytes: query.maximumBytes)
    let marks = SearchMarks(words)
    for offer in found.prefix(query.limit) {
      hits.append(offer, try marks.matches(in: offer.offer, by: LetterTokenizer()))
    }
    return SearchResults(hits: hits.hits, hasMore: found.count > query.limit)
  }

  package func fetchRecentSearches() async throws -> [RecentSearch] {
    try await database.readOnce { [user] in try RecentSearchTable.list(of: user, in: $0) }
  }

  package func noteSearch(_ search: RecentSearch) async throws {
    let words = search.words.split { $0.isWhitespace || $0 == "\0" }.joined(separator: " ")
    try await database.write(isNote: true) { [user] session in
      try UserTable.check(user, isExclusive: true, in: session)
      if words.isEmpty { return }
      try RecentSearchTable.put(
        words, feed: search.feed, of: user, at: search.searchedAt, in: session)
    }
  }
}
