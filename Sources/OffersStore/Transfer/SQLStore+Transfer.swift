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
    from source: any ExportRecordSource, feeds: [String], selections: Set<String>,
    trustsRoles: Bool,
    review: @escaping @Sendable ([ImportedSource]) throws -> [ImportedSource]
  ) async throws -> ImportSummary {
    // Sorted, so that two imports cannot deadlock.
    try await withSyncLocks(on: feeds.sorted()[...]) { [self] in
      try await transaction(.sync) { [user] transaction in
        try UserTable.check(user, in: transaction)
        let merge = try ImportMerge(
          into: StoreImport(transaction), user: user, selections: selections,
          trustsRoles: trustsRoles, review: review)
        try source.forEachRecord(merge.add)
        return try merge.finish()
      }
    }
  }

  /// Runs `body` while no other sync of the given feeds runs. For each it waits as long as a sync waits for
  /// another one.
  private func withSyncLocks<Result: Sendable>(
    on feeds: ArraySlice<String>, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let feed = feeds.first else { return try await body() }
    return try await withSyncLock(on: feed, waitSeconds: 5) {
      try await self.withSyncLocks(on: feeds.dropFirst(), body)
    }
  }
}
