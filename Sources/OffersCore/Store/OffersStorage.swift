/// A store as the program needs it: all that the program reads and writes, bound to one user.
///
/// The program names no other type of an open store. It knows one by its place (`StorePlace`), and works
/// with this protocol. The store may be a file or stand on a server, may have one writer or many, and may
/// be shared with other processes.
package protocol OffersStorage: OfferRepository, FavoriteRepository, HouseholdRepository,
  FacetRepository, FeedSourceRepository, PreparableSearch, ChangeRepository, NewsRepository,
  LongListRepository, PruneRepository, ImageFetchStore, SyncStore, UserRepository, UserRecords,
  SessionRepository, AttemptRepository, CredentialRepository, IdentityRepository,
  ServerKeyRepository, CommitSignal,
  StoreFacts,
  StoreReadiness, RecordTransfer, CredentialTransfer
{
  /// The user to whom the store is bound; see `record(of:)`.
  var user: User.ID { get }

  /// The place of the store, as people know it, such as a path. It has no password.
  var place: String { get }

  /// The software that keeps the data.
  var engine: StoreEngine { get }

  /// The care of the store's file; nil for a store that is not a file.
  var maintenance: (any StoreMaintenance)? { get }

  /// Closes the store: waits for the reads and writes under way, and ends its connections. All later
  /// calls throw an `OffersError` with `invalidRequest`, except for `close`, which does nothing more.
  ///
  /// A store that is released without it loses nothing that was written.
  ///
  /// - Throws: `OffersError` with `storageFailed` if a connection could not be closed.
  func close() async throws
}

/// The software that keeps the data of a store.
package struct StoreEngine: Hashable, Sendable {
  /// The name in documents, such as `sqlite`.
  package let key: String
  /// The name for people, such as `SQLite`.
  package let name: String
  /// The version in use, such as `3.40.1`.
  package let version: String
  /// A remark on how the store is used, such as how writers take turns; nil for none.
  package let remark: String?
  /// A warning about this version, in one line; nil for none.
  package let warning: String?

  package init(
    key: String, name: String, version: String, remark: String? = nil, warning: String? = nil
  ) {
    self.key = key
    self.name = name
    self.version = version
    self.remark = remark
    self.warning = warning
  }
}
