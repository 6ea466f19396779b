import OffersCore

/// Searches for the pages and for the API alike: what is stored, or by the server of the feed.
struct ServedSearch: Sendable {
  let content: ServedContent

  /// - Parameters:
  ///   - query: the words, the feed if it is one, and which page.
  ///   - limit: how many of a server's page; nil for all of it.
  ///   - isTrusted: false for a page of another site, which may not make us ask somebody, or change
  ///     what we remember.
  func find(_ query: SearchQuery, limit: Int?, isTrusted: Bool) async throws -> SearchAnswer {
    let answer: SearchAnswer
    if isTrusted, let feed = query.serverFeed, try isSearchable(feed) {
      answer = try await SearchAnswer.ask(
        serverFor: query, limit: limit, in: content.store
      ) {
        try await content.syncer.search(feed, for: query.words, page: query.page)
      } _: {
        try await content.store.search($0)
      }
    } else {
      answer = SearchAnswer(
        words: query.words, feed: query.feed, page: query.page, source: .store,
        results: try await content.store.search(query))
    }
    if isTrusted { try await note(answer) }
    return answer
  }

  private func isSearchable(_ feed: String) throws -> Bool {
    try content.syncer.fetchKnownFeeds().first { $0.name == feed }?.isSearchable ?? false
  }

  /// Remembers a search that found something.
  private func note(_ answer: SearchAnswer) async throws {
    guard answer.page == 1, !answer.results.hits.isEmpty else { return }
    do {
      try await content.store.noteSearch(
        RecentSearch(words: answer.foundWords, feed: answer.feed, searchedAt: content.now()))
    } catch let error as OffersError where error.code == .storageFailed {
      // What was found is told all the same; a database that cannot be written to only forgets it.
    }
  }
}
