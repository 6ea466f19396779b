import OffersCore

/// The search of the pages and of the API, in the store or by the server of a feed.
struct ServedSearch: Sendable {
  let content: ServerDependencies
  /// The time for a read of the store.
  let readLimit: Duration

  /// Searches on a feed's server if the query is for all offers of a feed whose server can be
  /// searched; the store replaces a server that fails or finds nothing. Any other query, and one
  /// that is not trusted, searches the store. The first page of results adds to the recent
  /// searches.
  ///
  /// - Parameters:
  ///   - query: the words, optionally a feed, and the number of the page.
  ///   - limit: the number of results on a page from a feed's server; nil for the server's own number.
  ///   - isTrusted: false for a request from a page of another site, which neither makes this server
  ///     send a request to a feed's server nor adds to the recent searches.
  func find(_ query: SearchQuery, limit: Int?, isTrusted: Bool) async throws -> SearchAnswer {
    // This may be a write that takes long.
    try await content.searchPreparation.run()
    let answer: SearchAnswer
    if isTrusted, let feed = query.serverFeed, try await isSearchable(feed) {
      answer = try await SearchAnswer.ask(
        serverFor: query, in: content.store
      ) {
        try await content.syncer.search(feed, for: query.words, page: query.page, limit: limit)
      } _: {
        try await search($0)
      }
    } else {
      answer = SearchAnswer(
        words: query.words, feed: query.feed, page: query.page, source: .store,
        results: try await search(query))
    }
    if isTrusted { try await note(answer) }
    return answer
  }

  private func search(_ query: SearchQuery) async throws -> SearchResults {
    try await ResponseDeadline.run(within: readLimit) { try await content.store.search(query) }
  }

  private func isSearchable(_ feed: String) async throws -> Bool {
    try await content.syncer.fetchKnownFeeds().first { $0.name == feed }?.isSearchable ?? false
  }

  /// Adds a successful search to the recent searches, unless the answer is a later page.
  private func note(_ answer: SearchAnswer) async throws {
    guard answer.page == 1, answer.isRecent else { return }
    do {
      try await content.store.noteSearch(
        RecentSearch(words: answer.words, feed: answer.feed, searchedAt: content.now()))
    } catch let error as OffersError where error.code == .storageFailed {
      // If the database cannot be written to, only this entry is lost; the results are still shown.
    }
  }
}
