import Foundation
import GRDB
import OffersCore

extension OffersDatabase: SearchRepository {
  public func search(_ query: SearchQuery) async throws -> SearchResults {
    try await search(query, preparing: {})
  }

  /// - Returns: nil if the index is not current.
  private func findResults(_ query: SearchQuery) async throws -> SearchResults? {
    try await read { [definitions, user] in
      try Self.search(query, of: user, definitions, in: $0)
    }
  }

  public func fetchRecentSearches() async throws -> [RecentSearch] {
    try await read { [user] in try RecentSearchTable.list(of: user, in: $0) }
  }

  public func noteSearch(_ search: RecentSearch) async throws {
    if try await read({ [user] in try Self.isLatest(search, of: user, in: $0) }) { return }
    try await writeAnyway(.note, waitSeconds: WriteGuard.noteWaitSeconds) { [user] in
      try Self.checkUser(user, in: $0)
      try Self.note(search, of: user, in: $0)
    }
  }

  private static func refreshIndex(in database: Database) throws {
    // Another process may have rebuilt it meanwhile.
    if try !SearchIndex.isCurrent(in: database) { try SearchIndex.rebuild(in: database) }
  }

  /// The error if another process invalidates the index right after it was rebuilt.
  private static let indexNotCurrent = OffersError(
    .storageFailed, "The search index was invalidated while it was rebuilt.",
    hint: "Wait for the sync that leaves the index out, then search again.")

  /// - Returns: nil if the index is not current.
  private static func search(
    _ query: SearchQuery, of user: User.ID, _ definitions: (any FeedDefinitions)?,
    in database: Database
  ) throws -> SearchResults? {
    guard query.limit > 0, query.page > 0, query.limit < Int32.max, query.page < Int32.max else {
      throw OffersError(.invalidRequest, "A search needs a limit and a page of at least 1.")
    }
    let feedKey = try query.feed.map { try fetchFeedKey($0, definitions, in: database) }
    guard try SearchIndex.isCurrent(in: database) else { return nil }
    let words = try SearchWords(query.words, in: database)
    if words.isEmpty { return SearchResults() }
    let table = try SearchTable(
      of: user, feedKey: feedKey, favoritesOnly: query.favoritesOnly,
      includesExpired: query.includesExpired, now: query.now ?? Date(), in: database)
    let narrowed = try words.narrowed(in: database)
    if let page = try page(of: narrowed, query, user, table, in: database) { return page }
    let opened = try SearchWords(query.words, opensLetter: true, in: database)
    if opened != words, let page = try page(of: opened, query, user, table, in: database) {
      return page
    }
    let nearest = try SearchSpelling(words).findNearest(in: database) {
      try table.finds($0, in: database)
    }
    guard let nearest else { return SearchResults() }
    let page = try page(of: nearest, query, user, table, in: database) ?? SearchResults()
    return SearchResults(hits: page.hits, hasMore: page.hasMore, correctedWords: nearest.text)
  }

  /// A page of the results of a search; nil if it has no results at all.
  private static func page(
    of words: SearchWords, _ query: SearchQuery, _ user: User.ID, _ table: SearchTable,
    in database: Database
  ) throws -> SearchResults? {
    let marks = SearchMarks(words)
    let tokenizer = try IndexTokenizer(database)
    var hits = SearchHits(maximumBytes: query.maximumBytes)
    var count = 0
    try table.find(
      words, limit: query.limit + 1, offset: (query.page - 1) * query.limit, in: database
    ) { key in
      count += 1
      guard count <= query.limit, let offer = try OfferTable.find(key: key, of: user, in: database)
      else { return }
      hits.append(offer, try marks.matches(in: offer.offer, by: tokenizer))
    }
    if count == 0, try query.page == 1 || !table.finds(words, in: database) { return nil }
    return SearchResults(hits: hits.hits, hasMore: count > query.limit)
  }

  /// The words separated by single spaces. NUL is a separator, because SQLite ends a text at it.
  private static func words(of search: RecentSearch) -> String {
    search.words.split { $0.isWhitespace || $0 == "\0" }.joined(separator: " ")
  }

  private static func isLatest(
    _ search: RecentSearch, of user: User.ID, in database: Database
  ) throws -> Bool {
    try RecentSearchTable.isLatest(
      words(of: search), feed: search.feed, of: user, in: database)
  }

  private static func note(
    _ search: RecentSearch, of user: User.ID, in database: Database
  ) throws {
    let words = words(of: search)
    if words.isEmpty { return }
    try RecentSearchTable.put(
      words, feed: search.feed, of: user, at: search.searchedAt.storedSeconds,
      in: database)
  }
}

extension OffersDatabase: SearchPreparation {
  package func prepareSearch() async throws { try await refreshSearchIndex() }

  package func search(
    _ query: SearchQuery, preparing: () -> Void
  ) async throws -> SearchResults {
    if let results = try await findResults(query) { return results }
    preparing()
    try await refreshSearchIndex()
    guard let results = try await findResults(query) else {
      throw Self.indexNotCurrent
    }
    return results
  }

  /// Rebuilds the search index if it is not current.
  public func refreshSearchIndex() async throws {
    if try await read({ try SearchIndex.isCurrent(in: $0) }) { return }
    // A database that is open for reading must be searchable as well.
    try await writeAnyway { try Self.refreshIndex(in: $0) }
  }
}
