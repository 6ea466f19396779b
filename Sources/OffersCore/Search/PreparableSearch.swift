/// A search that may have to be prepared after a sync, such as by updating an index.
package protocol PreparableSearch: SearchRepository {
  /// Prepares the next search, so that it does not wait. If nothing has to be prepared, the call is
  /// cheap.
  func prepareSearch() async throws

  /// Searches the stored offers.
  ///
  /// - Parameters:
  ///   - query: the search.
  ///   - preparing: called if the search has to be prepared first, which may take a while.
  /// - Throws: as `search(_:)`.
  func search(_ query: SearchQuery, preparing: () -> Void) async throws -> SearchResults
}

extension PreparableSearch {
  /// The default for a store whose search is always prepared.
  package func prepareSearch() async throws {}

  /// The default for a store whose search is always prepared.
  package func search(
    _ query: SearchQuery, preparing: () -> Void
  ) async throws -> SearchResults {
    try await search(query)
  }
}
