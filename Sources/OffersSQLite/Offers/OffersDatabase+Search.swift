import Foundation
import GRDB
import OffersCore
import OffersStore

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
    try query.check()
    let feedKey = try query.feed.map {
      try FeedTable.fetchReadKey($0, definitions, in: SQLiteTransaction(database))
    }
    guard try SearchIndex.isCurrent(in: database) else { return nil }
    return try SearchIndexReader(query, of: user, feedKey: feedKey, in: database).results(of: query)
  }
}

extension OffersDatabase: PreparableSearch {
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
