import OffersCore
import OffersStore

extension PostgresStore: RecordTransfer {
  package func export<Result: Sendable>(
    favoritesOnly: Bool, allUsers: Bool, withSearches: Bool,
    _ body: @escaping @Sendable (any ExportBody) throws -> Result
  ) async throws -> Result {
    let url = database.url
    return try await database.read { [user] connection in
      do {
        return try body(
          ExportQuery(
            connection, of: allUsers ? nil : user, favoritesOnly: favoritesOnly,
            withSearches: withSearches || !favoritesOnly))
      } catch {
        // Translated here, so that the read is not made again after a lost connection: the caller has
        // written some of the records already.
        throw PostgresFailure.translate(error, url)
      }
    }
  }

  package func importRecords(
    from source: any ExportRecordSource, feeds: [String], selections: Set<String>,
    trustsRoles: Bool,
    review: @escaping @Sendable ([ImportedSource]) throws -> [ImportedSource]
  ) async throws -> ImportSummary {
    // Sorted, so that two imports cannot deadlock.
    try await withLeases(on: feeds.sorted()[...], []) { [user] leases in
      try await self.database.write(kind: .ordered) { connection in
        try UserTable.check(user, in: PostgresTransaction(connection))
        let merge = try ImportMerge(
          into: PostgresImport(connection), user: user, selections: selections,
          trustsRoles: trustsRoles, review: review)
        try source.forEachRecord(merge.add)
        let summary = try merge.finish()
        for lease in leases { try SyncLease.check(lease, lease.feed, in: connection) }
        return summary
      }
    }
  }

  /// The maximum wait for running syncs, in seconds; as long as a sync waits for another one.
  private static let syncWaitSeconds = 5.0

  /// Runs `body` with the leases of some feeds, and those that are there already.
  private func withLeases<Result: Sendable>(
    on feeds: ArraySlice<String>, _ leases: [SyncLease],
    _ body: @escaping @Sendable ([SyncLease]) async throws -> Result
  ) async throws -> Result {
    guard let feed = feeds.first else { return try await body(leases) }
    return try await withSyncLock(on: feed, waitSeconds: Self.syncWaitSeconds) {
      let all = leases + [SyncLease.current].compactMap(\.self)
      return try await self.withLeases(on: feeds.dropFirst(), all, body)
    }
  }
}
