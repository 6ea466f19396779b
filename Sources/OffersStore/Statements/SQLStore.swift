import OffersCore

/// A store behind an engine that runs SQL, bound to one user. What the store does is written in
/// extensions of this protocol, once for all engines. It refines the protocols that have default
/// implementations, in place of which these extensions stand.
package protocol SQLStore: FavoriteRepository, HouseholdRepository, OfferRepository {
  /// The user whose favorites, searches, read marks and notices the store is about.
  var user: User.ID { get }
  /// The definitions of feeds; nil if the program handles unknown feeds itself.
  var definitions: (any FeedDefinitions)? { get }

  /// The uses of images that are not written yet.
  var imageUses: PendingImageUses { get }
  /// Whether the store was opened for writing.
  var canWrite: Bool { get }

  /// Runs a transaction, whose writes are all made or, if `body` throws, none.
  ///
  /// - Parameters:
  ///   - mode: what the transaction is for.
  ///   - body: its statements. It may be run again.
  func transaction<Result: Sendable>(
    _ mode: TransactionMode, _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result

  /// Runs `body` while no other program syncs some feeds; see `SyncStore`.
  ///
  /// - Parameters:
  ///   - feeds: sorted, so that two callers with several feeds cannot deadlock.
  ///   - waitSeconds: the longest wait for the lock of a feed.
  ///   - body: called once all locks are held.
  func withSyncLocks<Result: Sendable>(
    on feeds: [String], waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result

  /// Writes favorites of the user in a repeatable write, and remembers for `CommitSignal.commits` how its
  /// commit changed them.
  func writeFavorites(
    _ body: @escaping @Sendable (any Transaction) throws -> WrittenFavorites
  ) async throws -> WrittenFavorites

  /// Frees what removed offers and changes left behind: words of the search on a server, free pages in a
  /// file.
  func compactAfterRemoval() async throws

  /// Enqueues a write behind those that were enqueued before, without waiting for it. It may fail or be
  /// lost.
  func writeLater(_ body: @escaping @Sendable (any Transaction) throws -> Void)

  /// Waits for the writes that were enqueued.
  func finishLaterWrites() async throws
}

extension OffersError {
  /// The refusal of a write in a store that was opened for reading.
  package static var readOnlyStore: OffersError {
    OffersError(.invalidRequest, "The database was opened for reading only.")
  }

  /// The refusal of a sync whose lock is still held after the wait.
  package static func syncingElsewhere(_ feed: String) -> OffersError {
    OffersError(
      .locked, "Another sync of \(feed) is running.",
      hint: "Nothing was changed. Wait for it, then sync again.")
  }
}
