import OffersCore
import OffersStore

extension PostgresStore: SQLStore {
  package func transaction<Result: Sendable>(
    _ mode: TransactionMode, _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    let body = { @Sendable (connection: Connection) in try body(PostgresTransaction(connection)) }
    return switch mode {
    case .read: try await database.read(body)
    case .query, .lookup: try await database.readOnce(body)
    case .write: try await database.write(body)
    case .orderedWrite:
      try await database.write(kind: .ordered) { connection in
        _ = try CommitOrder(locking: connection)
        return try body(connection)
      }
    case .repeatableWrite, .note: try await database.write(isRepeatable: true, body)
    case .repeatableUncountedWrite:
      try await database.write(isCounted: false, isRepeatable: true, body)
    case .noteOfReader: try await database.write(isRepeatable: true, isNote: true, body)
    case .image, .imageNote: try await database.write(body)
    case .uncountedImage: try await database.write(isCounted: false, body)
    }
  }

  package func writeLater(_ body: @escaping @Sendable (any Transaction) throws -> Void) {
    laterWrites.add { [database] in try await database.write { try body(PostgresTransaction($0)) } }
  }
}

extension PostgresStore {
  /// PostgreSQL derives nothing from favorites.
  package func favoritesChanged(_ refs: [OfferRef], in transaction: any Transaction) {}
}

extension PostgresStore {
  /// The number of words that one transaction looks at.
  private static let wordCount = 2000

  /// Removes the words that only removed or changed offers had, in several transactions.
  package func compactAfterRemoval() async throws {
    var next: String? = ""
    while let word = next {
      next = try await database.write(kind: .ordered, isCounted: false) { connection in
        _ = try CommitOrder(locking: connection)
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
extension PostgresStore: LoginTransfer, ServerKeyRepository, SessionRepository {}
extension PostgresStore: FavoriteRepository, HouseholdRepository, UserRepository {}
extension PostgresStore: ChangeRepository, FeedRepository, FeedSourceRepository, NewsRepository {}
extension PostgresStore: PruneRepository, StoreFacts {}
