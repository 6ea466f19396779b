import OffersCore

extension PostgresStore: RecordTransfer {
  package func export<Result: Sendable>(
    favoritesOnly: Bool, allUsers: Bool, withSearches: Bool,
    _ body: @escaping @Sendable (any ExportBody) throws -> Result
  ) async throws -> Result {
    let url = database.url
    return try await database.read { [user] session in
      do {
        return try body(
          ExportQuery(
            session, of: allUsers ? nil : user, favoritesOnly: favoritesOnly,
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
      try await self.database.write(kind: .ordered) { session in
        try UserTable.check(user, in: session)
        let merge = try ImportMerge(
          into: PostgresImport(session), user: user, selections: selections,
          trustsRoles: trustsRoles, review: review)
        try source.forEachRecord(merge.add)
        let summary = try merge.finish()
        for lease in leases { try SyncLease.check(lease, lease.feed, in: session) }
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

  package func removeUser(_ id: User.ID, exported: Set<OfferRef>?) async throws {
    if id == User.ownerID {
      throw OffersError(.invalidRequest, "The owner of the database cannot be removed.")
    }
    try await database.write { session in
      // A star of the user at the same time is stored before the lock, or refused after it.
      try session.run("SELECT 1 FROM account WHERE user_key = $1 FOR UPDATE", [.number(id)])
      guard let user = try UserTable.find(id, in: session) else { throw UserTable.removed }
      let refs = try session.rows(
        "SELECT feed, id FROM favorite WHERE user_key = $1 ORDER BY feed, id", [.number(id)]
      ).map { OfferRef(feed: $0.text(0), offerID: $0.text(1)) }
      if let exported, let new = refs.first(where: { !exported.contains($0) }) {
        throw OffersError(
          .locked,
          "\(user.name) got another favorite, \(new), while the favorites were exported.",
          hint: "Nothing was removed. Try again.")
      }
      _ = try UserTable.delete(id, in: session)
    }
  }
}
