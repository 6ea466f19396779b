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
  ///   - body: reads the records; they are valid only during the call.
  package func export<Result: Sendable>(
    favoritesOnly: Bool, allUsers: Bool = false, withSearches: Bool = false,
    _ body: @escaping @Sendable (ExportQuery) throws -> Result
  ) async throws -> Result {
    try await transaction(.export) { [user] transaction in
      try body(
        ExportQuery(
          transaction, of: allUsers ? nil : user, favoritesOnly: favoritesOnly,
          withSearches: withSearches || !favoritesOnly))
    }
  }

  /// Imports the records of an export in one transaction, or, on an error, nothing. Feeds that the store has
  /// read stay as they are, and the others are taken whole; what belongs to users is added.
  ///
  /// - Parameters:
  ///   - source: the records, which are read while the transaction is open.
  ///   - feeds: the feeds of the document. They cannot be synced during the import: such a sync
  ///     would compare its document with the offers before the import, and then store that the
  ///     offers equal its document.
  ///   - trustsRoles: whether users who are missing here get the roles of the document; otherwise
  ///     none becomes an admin, since anybody may have written it.
  ///   - acceptsDefinitions: whether the user accepts the document's definitions and settings of feeds as
  ///     their own; otherwise they are left out, since they name what a sync reads.
  ///   - review: reviews the named sources that the import would add, and sets their origins. An
  ///     error ends the import. Passed are only sources of feeds that have no named source in this
  ///     store, or that it has never read.
  /// - Throws: `OffersError`: `locked` if a feed's sync does not end in time, `invalidRequest` for
  ///   several users if this store is bound to another user than its owner.
  package func importRecords(
    from source: any ExportRecordSource, feeds: [String], trustsRoles: Bool = false,
    acceptsDefinitions: Bool = false,
    review: @escaping @Sendable ([ImportedFeedSource]) throws -> [ImportedFeedSource] = { $0 }
  ) async throws -> ImportSummary {
    try await engine.withSyncLocks(on: feeds.sorted(), waitSeconds: Self.syncWaitSeconds) {
      [self] in
      try await transaction(.sync) { [user] transaction in
        try UserTable.check(user, in: transaction)
        let work = try StoreImport(
          into: transaction, user: user, trustsRoles: trustsRoles,
          acceptsDefinitions: acceptsDefinitions, review: review)
        try source.forEachRecord(work.add)
        return try work.finish()
      }
    }
  }

  /// The longest wait for running syncs, in seconds: as long as a sync waits for another one.
  private static var syncWaitSeconds: Double { 5 }
}
