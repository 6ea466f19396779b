import GRDB
import OffersCore
import OffersStore

extension OffersDatabase: SQLStore {
  package func transaction<Result: Sendable>(
    _ mode: TransactionMode, _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let permit = mode.permit
    let body = { @Sendable (database: Database) in
      let transaction = SQLiteTransaction(database)
      try permit?.check(in: transaction)
      return try body(transaction)
    }
    return switch mode {
    case .read, .query, .export: try await read(body)
    case .lookup: try await readStatement(body)
    case .write, .removal, .repeatableWrite, .repeatableUncountedWrite:
      try await write(.ordinary, body)
    case .sync: try await write(.ordinary, body)
    case .syncNote: try await write(.note, body)
    case .trial: try await writeTrial(body)
    case .note: try await write(.note, waitSeconds: WriteGuard.noteWaitSeconds, body)
    case .noteOfReader:
      try await writeAnyway(.note, waitSeconds: WriteGuard.noteWaitSeconds, body)
    case .image, .uncountedImage: try await writePictures(body)
    case .imageNote: try await writePictures(waitSeconds: WriteGuard.noteWaitSeconds, body)
    }
  }
}

extension OffersDatabase {
  /// The share of free pages above which the file is rewritten (VACUUM).
  package static let freeShare = 0.25

  package func compactAfterRemoval() async throws {
    _ = try await compact(whenFreeAbove: Self.freeShare)
  }
}

extension OffersDatabase: UserRecords {
  /// The same database, whose favorites, searches, read marks and notices are those of a user. It
  /// shares its connections with this one: closing one closes both.
  public func record(of user: User) -> OffersDatabase {
    OffersDatabase(sharing: self, user: user.id)
  }
}

/// Extensions of `SQLStore` in OffersStore have the methods of these protocols.
extension OffersDatabase: AttemptRepository, CredentialRepository, IdentityRepository {}
extension OffersDatabase: CredentialTransfer, ServerKeyRepository, SessionRepository {}
extension OffersDatabase: FavoriteRepository, HouseholdRepository, FacetRepository {}
extension OffersDatabase: FeedRepository, FeedSourceRepository, LongListRepository {}
extension OffersDatabase: ImageFetchStore, OfferRepository, UserRepository {}
extension OffersDatabase: ChangeRepository, NewsRepository {}
extension OffersDatabase: PruneRepository, RecordTransfer, StoreFacts {}
