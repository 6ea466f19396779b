import OffersCore

/// The recent searches of `SearchRepository`.
extension SQLStore {
  public func fetchRecentSearches() async throws -> [RecentSearch] {
    try await transaction(.query) { [user] in try RecentSearchTable.list(of: user, in: $0) }
  }

  public func noteSearch(_ search: RecentSearch) async throws {
    let words = SearchWords.spaced(search.words)
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

  @discardableResult
  public func removeSearch(_ id: RecentSearch.ID) async throws -> Bool {
    try await transaction(.write) { [user] transaction in
      try UserTable.check(user, isExclusive: true, in: transaction)
      return try RecentSearchTable.remove(id, of: user, in: transaction)
    }
  }
}
