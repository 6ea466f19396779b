import Foundation
import OffersCore

extension OffersDatabase {
  /// Finds the offers of a selection that contain all of its words.
  ///
  /// In each offer, at most 100 places of the words are told, all in the first 64 KiB of each field.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, `invalidRequest` for a page or a
  ///   limit below 1, and for words beyond the limits of `SearchQuery.words`.
  public func search(_ query: SearchQuery) async throws(OffersError) -> SearchResults {
    try await search(query, preparing: {})
  }

  /// Searches the stored offers.
  ///
  /// - Parameters:
  ///   - query: the search.
  ///   - preparing: called if the search has to be prepared first, which may take a while.
  /// - Throws: as `search(_:)`.
  package func search(
    _ query: SearchQuery, preparing: () -> Void
  ) async throws(OffersError) -> SearchResults {
    try query.check()
    return try await read(needsIndex: true, preparing: preparing) {
      [user, definitions] transaction in
      let conditions = try OfferConditions(
        query.selection, for: .search, at: query.now ?? Date(), of: user,
        feeds: NamedFeeds(query.selection.feeds, definitions, in: transaction),
        pricedFeeds: query.pricedFeeds, after: Bindings([.number(user)]), in: transaction)
      return try transaction.search(query, conditions.ofSearch, of: user)
    }
  }

  /// Reads offers. If a statement needs the search index (`SearchIndexMissing`), the index is brought up to date first.
  ///
  /// - Parameters:
  ///   - needsIndex: whether the index is needed in any case.
  ///   - preparing: called if the index has to be brought up to date, which may take a while.
  ///   - body: the statements. It may be run again.
  func read<Result: Sendable>(
    needsIndex: Bool = false, preparing: () -> Void = {},
    _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws(OffersError) -> Result {
    func attempt() async throws(OffersError) -> Result? {
      try await transaction(.read) { transaction in
        if needsIndex, try !transaction.isSearchCurrent() { return nil }
        do {
          return try body(transaction)
        } catch is SearchIndexMissing {
          return nil
        }
      }
    }
    if let result = try await attempt() { return result }
    preparing()
    try await prepareSearch()
    if let result = try await attempt() { return result }
    // Another process invalidated the index right after it was rebuilt.
    throw OffersError(
      .storageFailed, "The search index was invalidated while it was rebuilt.",
      hint: "Wait for the sync that leaves the index out, then search again.")
  }

  /// Rebuilds the search index if it is not current.
  public func prepareSearch() async throws(OffersError) {
    try await OffersError.translating { try await engine.prepareSearch() }
  }

  /// The last 10 recorded searches, the most recent first.
  public func fetchRecentSearches() async throws(OffersError) -> [RecentSearch] {
    try await transaction(.query) { [user] in try RecentSearchTable.list(of: user, in: $0) }
  }

  /// Records a search that found something. An equal earlier search moves to the front; only the
  /// last 10 are kept. Repeating the most recent search changes nothing.
  public func noteSearch(_ search: RecentSearch) async throws(OffersError) {
    let words = Self.remembered(search.words, of: search.feed)
    let isLatest = try await transaction(.query) { [user] in
      try RecentSearchTable.isLatest(words, feed: search.feed, of: user, in: $0)
    }
    if isLatest { return }
    try await transaction(.noteOfReader) { [user] transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      if words.isEmpty { return }
      try RecentSearchTable.put(
        words, feed: search.feed, of: user, at: search.searchedAt, in: transaction)
    }
  }

  /// Removes a recorded search, with the words as they were typed.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func removeSearch(
    _ words: String, of feed: String? = nil
  ) async throws(OffersError) -> Bool {
    try await transaction(.write) { [user] transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      let isRemoved = try RecentSearchTable.remove(words, of: feed, user: user, in: transaction)
      return try isRemoved
        || RecentSearchTable.remove(
          Self.remembered(words, of: feed), of: feed, user: user, in: transaction)
    }
  }

  /// The words as which a search is recorded: its text form without the feed, so that the same search is recorded once.
  private static func remembered(_ words: String, of feed: String?) -> String {
    let words = SearchWords.spaced(words)
    guard let text = try? SelectionText(parsing: words) else { return words }
    return (feed == nil ? text : text.without(.feed)).description
  }
}

/// The error of a statement with words while the search index is not current.
struct SearchIndexMissing: Error {}

extension SearchAnswer {
  /// The most stored hits that are fetched to mark the words in a server's results.
  private static let markedLimit = 1000

  /// Searches on a feed's server, and falls back to the stored offers when it cannot be asked or
  /// finds none on the first page. A further page on which it finds none stays empty.
  ///
  /// - Parameters:
  ///   - query: the words, the feed, and the page.
  ///   - offers: the database that the offers found by the server are read from.
  ///   - ask: searches on the server.
  ///   - searchStored: searches the stored offers.
  /// - Throws: as `OffersDatabase.search(_:)`, before the server is asked for words beyond the limits.
  package static func ask(
    serverFor query: SearchQuery, in offers: OffersDatabase,
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
    } catch let failure as OffersError where failure.code != .cancelled {
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
    of search: ServerSearchResults, _ query: SearchQuery, _ offers: OffersDatabase,
    _ searchStored: (SearchQuery) async throws -> SearchResults
  ) async throws -> SearchResults {
    var marked = SearchQuery(
      query.words, feed: query.feed, includesExpired: true, now: query.now, limit: markedLimit)
    marked.maximumBytes = query.maximumBytes
    let stored = try await searchStored(marked)
    var matches: [OfferRef: [SearchMatch]] = [:]
    for hit in stored.hits { matches[hit.offer.ref] = hit.matches }
    var found = SearchHitCollector(maximumBytes: query.maximumBytes)
    let hidden = try await offers.findHidden(among: search.offers)
    for ref in search.offers where hidden.contains(ref) == query.selection.hiddenOnly {
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

/// The SQL for recent searches.
package enum RecentSearchTable {
  package static func list(of user: User.ID, in transaction: any Transaction) throws
    -> [RecentSearch]
  {
    try transaction.rows(
      """
      SELECT words, feed, searched_at FROM recent_search WHERE user_key = $1
      ORDER BY search_order DESC
      """, [.number(user)]
    ) { row in
      let feed = row.text(1)
      return RecentSearch(
        words: row.text(0), feed: feed.isEmpty ? nil : feed, searchedAt: row.date(2))
    }
  }

  /// Whether a search is at the top, with the same spelling.
  static func isLatest(
    _ words: String, feed: String?, of user: User.ID, in transaction: any Transaction
  ) throws -> Bool {
    guard let last = try list(of: user, in: transaction).first else { return false }
    return last.feed == feed && last.words.hasSameBytes(as: words)
  }

  /// Moves or inserts a search at the top, and keeps the last ones. The user must be locked.
  package static func put(
    _ words: String, feed: String?, of user: User.ID, at date: Date,
    in transaction: any Transaction
  ) throws {
    let key = key(words)
    try transaction.run(
      """
      DELETE FROM recent_search WHERE user_key = $1 AND feed = $3 AND (expression = $2 OR words = $4)
      """, [.number(user), .text(key), .text(feed ?? ""), .text(words)])
    try transaction.run(
      """
      INSERT INTO recent_search (user_key, search_order, expression, feed, words, searched_at)
      SELECT $1, coalesce(max(search_order), 0) + 1, $2, $3, $4, $5
      FROM recent_search WHERE user_key = $1
      """,
      [.number(user), .text(key), .text(feed ?? ""), .text(words), .date(date)])
    try transaction.run(
      """
      DELETE FROM recent_search WHERE user_key = $1 AND search_order <= (
        SELECT search_order FROM recent_search WHERE user_key = $1
        ORDER BY search_order DESC LIMIT 1 OFFSET \(RecentSearch.limit))
      """, [.number(user)])
  }

  /// By which equal searches are recognized: the folded words, or the words as they were typed if these
  /// have no letters or are too many for a search.
  private static func key(_ words: String) -> String {
    let search = try? SearchWords(words)
    return search.flatMap { $0.isEmpty ? nil : $0.key } ?? words
  }

  /// Removes a search. Returns whether there was one.
  static func remove(
    _ words: String, of feed: String?, user: User.ID, in transaction: any Transaction
  ) throws -> Bool {
    try transaction.run(
      "DELETE FROM recent_search WHERE user_key = $1 AND words = $2 AND feed = $3",
      [.number(user), .text(SearchWords.spaced(words)), .text(feed ?? "")]) > 0
  }
}

extension SearchWords {
  /// The key by which `recent_search` recognizes equal searches: the folded words. “Café” and “cafe” have the
  /// same key.
  fileprivate var key: String {
    parts.map { $0.words.joined(separator: " ") + ($0.isOpen ? "*" : "") }.joined(separator: " & ")
  }
}
