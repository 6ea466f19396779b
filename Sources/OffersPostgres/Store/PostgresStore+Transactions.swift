import OffersCore
import OffersStore

extension PostgresStore: SQLStore {
  package func transaction<Result: Sendable>(
    _ mode: TransactionMode, _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    let permit = mode.permit
    let body = { @Sendable (connection: Connection) in
      let transaction = PostgresTransaction(connection)
      if let permit {
        // A transaction that changes the role or the logins of this user locks the same row, so that none
        // commits between this check and the end of this transaction.
        try connection.run(
          "SELECT 1 FROM account WHERE user_key = $1 FOR NO KEY UPDATE", [.number(permit.user)])
        try permit.check(in: transaction)
      }
      return try body(transaction)
    }
    return switch mode {
    case .read: try await database.read(body)
    case .export:
      try await database.read { [url = database.url] connection in
        do { return try body(connection) } catch {
          // Translated here, so that the read is not made again.
          throw PostgresFailure.translate(error, url)
        }
      }
    case .query, .lookup: try await database.readOnce(body)
    case .write: try await database.write(body)
    case .sync, .syncNote:
      try await database.write(kind: .ordered) { [leases = heldLeases] connection in
        let result = try body(connection)
        for lease in leases { try lease.check(in: connection) }
        return result
      }
    case .removal:
      try await database.write(kind: .ordered) { connection in
        _ = try CommitOrder(locking: PostgresTransaction(connection))
        return try body(connection)
      }
    case .trial: try await database.write(kind: .ordered, isKept: false, body)
    case .repeatableWrite, .note: try await database.write(isRepeatable: true, body)
    case .repeatableUncountedWrite:
      try await database.write(isCounted: false, isRepeatable: true, body)
    case .noteOfReader: try await database.write(isRepeatable: true, isNote: true, body)
    case .image, .imageNote: try await database.write(describe: { _ in .pictures }, body)
    case .uncountedImage: try await database.write(isCounted: false, body)
    }
  }

  private var heldLeases: [SyncLease] { SyncLease.held[ObjectIdentifier(database)] ?? [] }

  package func writeFavorites(
    _ body: @escaping @Sendable (any Transaction) throws -> WrittenFavorites
  ) async throws -> WrittenFavorites {
    let describe: @Sendable (WrittenFavorites) -> DataChanges? = { [user] in
      $0.states.map { DataChanges(favorites: [user: $0]) }
    }
    let permit = WritePermit.current
    return try await database.write(isRepeatable: true, describe: describe) { connection in
      let transaction = PostgresTransaction(connection)
      try permit?.check(in: transaction)
      return try body(transaction)
    }
  }

  package func writeLater(_ body: @escaping @Sendable (any Transaction) throws -> Void) {
    laterWrites.add { [database] in try await database.write { try body(PostgresTransaction($0)) } }
  }
}

extension PostgresStore {
  /// The number of words that one transaction looks at.
  private static let wordCount = 2000

  /// Removes the words that only removed or changed offers had, in several transactions.
  package func compactAfterRemoval() async throws {
    var next: String? = ""
    while let word = next {
      next = try await database.write(kind: .ordered, isCounted: false) { connection in
        _ = try CommitOrder(locking: PostgresTransaction(connection))
        return try SearchWordTable.deleteUnused(after: word, limit: Self.wordCount, in: connection)
      }
    }
  }
}

extension PostgresStore {
  package var canWrite: Bool { database.canWrite }

  package func finishLaterWrites() async throws { await laterWrites.finish() }
}

/// Extensions of `SQLStore` in OffersStore have the methods of these protocols.
extension PostgresStore: AttemptRepository, CredentialRepository, IdentityRepository {}
extension PostgresStore: CredentialTransfer, ServerKeyRepository, SessionRepository {}
extension PostgresStore: FavoriteRepository, HouseholdRepository, FacetRepository {}
extension PostgresStore: ImageFetchStore, OfferRepository, UserRepository {}
extension PostgresStore: ChangeRepository, LongListRepository, NewsRepository {}
extension PostgresStore: FeedRepository, FeedSourceRepository {}
extension PostgresStore: PruneRepository, RecordTransfer, StoreFacts {}
