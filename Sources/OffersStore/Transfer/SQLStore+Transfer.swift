import OffersCore

extension SQLStore {
  package func export<Result: Sendable>(
    favoritesOnly: Bool, allUsers: Bool, withSearches: Bool,
    _ body: @escaping @Sendable (any ExportBody) throws -> Result
  ) async throws -> Result {
    try await transaction(.export) { [user] transaction in
      try body(
        ExportQuery(
          transaction, of: allUsers ? nil : user, favoritesOnly: favoritesOnly,
          withSearches: withSearches || !favoritesOnly))
    }
  }

  package func importRecords(
    from source: any ExportRecordSource, feeds: [String], trustsRoles: Bool,
    acceptsDefinitions: Bool,
    review: @escaping @Sendable ([ImportedFeedSource]) throws -> [ImportedFeedSource]
  ) async throws -> ImportSummary {
    try await withSyncLocks(on: feeds.sorted(), waitSeconds: Self.syncWaitSeconds) { [self] in
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
