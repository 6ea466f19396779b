import GRDB
import OffersCore
import OffersStore

extension OffersDatabase: RecordTransfer {
  package func export<Result: Sendable>(
    favoritesOnly: Bool, allUsers: Bool, withSearches: Bool,
    _ body: @escaping @Sendable (any ExportBody) throws -> Result
  ) async throws -> Result {
    try await read { [user] in
      try body(
        ExportQuery(
          $0, of: allUsers ? nil : user, favoritesOnly: favoritesOnly,
          withSearches: withSearches || !favoritesOnly))
    }
  }

  package func importRecords(
    from source: any ExportRecordSource, feeds: [String], selections: Set<String>,
    trustsRoles: Bool,
    review: @escaping @Sendable ([ImportedSource]) throws -> [ImportedSource]
  ) async throws -> ImportSummary {
    // Sorted, so that two imports cannot deadlock.
    try await withSyncLocks(on: feeds.sorted(), waitSeconds: Self.syncWaitSeconds) {
      try await self.write(.unchecked) { [user = self.user] database in
        try UserTable.check(user, in: SQLiteTransaction(database))
        let merge = try ImportMerge(
          into: DatabaseImport(database), user: user, selections: selections,
          trustsRoles: trustsRoles, review: review)
        try source.forEachRecord(merge.add)
        return try merge.finish()
      }
    }
  }

  /// The maximum wait for running syncs, in seconds; as long as a sync waits for another one.
  private static let syncWaitSeconds = 5.0
}
