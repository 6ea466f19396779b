import GRDB
import OffersCore

extension OffersDatabase {
  /// Reads the contents of an export as one consistent state.
  ///
  /// An export has the feeds with their named sources, runs, all offers with their times, changes,
  /// and the records of users: favorites, recent searches and read marks. It lacks data that can be
  /// fetched again or belongs to one installation, such as images and fetch states, and secrets.
  ///
  /// - Parameters:
  ///   - favoritesOnly: whether to export only favorites, their feeds and their history.
  ///   - allUsers: whether to export the records of all users, instead of the bound one.
  ///   - withSearches: whether to export recent searches even if only favorites are exported.
  ///   - body: reads the records; the query is valid only during the call.
  package func export<Result: Sendable>(
    favoritesOnly: Bool, allUsers: Bool = false, withSearches: Bool = false,
    _ body: @escaping @Sendable (ExportQuery) throws -> Result
  ) async throws -> Result {
    try await read { [user] in
      try body(
        ExportQuery(
          $0, of: allUsers ? nil : user, favoritesOnly: favoritesOnly,
          withSearches: withSearches || !favoritesOnly))
    }
  }

  /// Imports the records of an export in one transaction: all of them or, on an error, none.
  ///
  /// - Parameters:
  ///   - source: the records, which are read while the write guard is held.
  ///   - feeds: the feeds of the document. They cannot be synced during the import: such a sync
  ///     would compare its document with the offers before the import, and then store that the
  ///     offers equal its document.
  ///   - selections: the names of the feeds whose documents are only a selection of their offers.
  ///     An offer that is missing in such a document is not gone.
  ///   - review: reviews the named sources that the import would add, and sets their origins. An
  ///     error ends the import. Passed are only sources of feeds that have no named source in this
  ///     database, or that it has never read.
  /// - Throws: `OffersError`: `locked` if a feed's sync does not end in time, `invalidRequest` for
  ///   several users if this database is bound to another user than its owner.
  package func importRecords(
    from source: any ExportRecordSource, feeds: [String], selections: Set<String> = [],
    review: @escaping @Sendable ([ImportedSource]) throws -> [ImportedSource] = { $0 }
  ) async throws -> ImportSummary {
    // Sorted, so that two imports cannot deadlock.
    try await withSyncLocks(on: feeds.sorted(), waitSeconds: Self.syncWaitSeconds) {
      try await self.write(.unchecked) { [user = self.user] database in
        try Self.checkUser(user, in: database)
        let merge = try ImportMerge(database, of: user, selections: selections, review: review)
        try source.forEachRecord(merge.add)
        return try merge.finish()
      }
    }
  }

  /// The maximum wait for running syncs, in seconds; as long as a sync waits for another one.
  private static let syncWaitSeconds = 5.0
}
