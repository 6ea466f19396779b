public import OffersCore

/// The offers of all feeds with all that users keep of them: in one SQLite file, in memory, or in a
/// PostgreSQL database.
///
/// Guarantees:
/// - Each read sees one consistent state and waits for no writer.
/// - A write is all or nothing. Once it returns it survives a crash and a power cut, except for cached images,
///   runs that changed no offer, recent searches, failed logins and when a session was last seen: a power cut
///   may lose the last of these.
/// - Any number of processes may use the database at the same time.
/// - A call waits neither for the network nor, except where it says so, for a sync. One that is cancelled
///   before its transaction is committed throws `OffersError` with `cancelled`, and nothing is written.
/// - Every call may throw `OffersError` with `storageFailed`, and with `invalidRequest` once the database is
///   closed.
///
/// A database is always bound to one user, at first to the owner: it marks, lists and counts that user's
/// favorites among the offers, and no call reads or writes the data of another user; see `bound(to:)`.
///
/// The calls and their statements stand in extensions, once for all engines.
public final class OffersDatabase: Sendable {
  /// The operations that an open database allows.
  ///
  /// For reading, a file must exist; one with an older schema is migrated first. On a full disk, a
  /// copy in memory is migrated instead, which does not show later changes. For writing, the file and
  /// its folder are created if they are missing.
  public enum Access: Sendable {
    /// Reads only. The database must exist.
    case readOnly
    /// Reads and writes. A missing database is created if its place allows that.
    case readWrite
  }

  /// The user whose favorites, searches, read marks and notices this is about; see `bound(to:)`.
  package let user: User.ID
  /// The definitions of feeds: a feed that has one has no offers before its first sync, instead of
  /// being unknown. Nil if the program that opened the database handles unknown feeds itself.
  package let definitions: (any FeedDefinitions)?
  /// Runs the transactions.
  package let engine: any Engine
  /// Image uses that have not been written to the database yet.
  package let imageUses: PendingImageUses
  /// Tells who reads again when the data has changed.
  let watch: CommitWatch
  /// The database that this one shares its engine with; nil for the one that opened it.
  private let root: OffersDatabase?

  /// A database bound to its owner.
  package init(_ engine: any Engine, definitions: (any FeedDefinitions)? = nil) {
    self.engine = engine
    self.definitions = definitions
    user = User.ownerID
    imageUses = PendingImageUses()
    watch = CommitWatch(engine)
    root = nil
  }

  private init(sharing other: OffersDatabase, user: User.ID) {
    self.user = user
    // It is kept, so that the image uses are written when the last of them is released.
    root = other.root ?? other
    engine = other.engine
    definitions = other.definitions
    imageUses = other.imageUses
    watch = other.watch
  }

  /// The same database, whose favorites, searches, read marks and notices are those of a user. It
  /// shares its connections with this one: closing one closes both. It needs no transaction, so that it
  /// can be made for each request.
  ///
  /// ```swift
  /// let favorites = try await database.bound(to: ana).fetchOffers(OfferQuery(favoritesOnly: true))
  /// ```
  ///
  /// The binding outlives the user. Once they are removed, their data is empty for every read, and each
  /// write to it throws `OffersError` with `notFound`. No later user gets their id.
  public func bound(to user: User) -> OffersDatabase {
    OffersDatabase(sharing: self, user: user.id)
  }

  /// The place of the database, as people know it: the path of a file, `:memory:`, or the address of a
  /// PostgreSQL database, without its password.
  public var place: String { engine.place }

  /// Closes the database: waits for the reads and writes under way, writes the image uses that were
  /// gathered, and closes the connections. All later operations throw an `OffersError` with
  /// `invalidRequest`, except for `close`, which does nothing more.
  ///
  /// For another process that is writing, the image uses wait 2 seconds at most. Then they are
  /// dropped, as are those of the calls under way, which makes only the order of eviction and the counts
  /// inexact.
  ///
  /// A database that is released without being closed loses nothing either: the writes under way
  /// end, and the gathered image uses are written. Closing lets a program wait for that, for
  /// example before it ends or removes the file. Cancelling the task does not stop the closing.
  ///
  /// - Throws: `OffersError` with `storageFailed` if a connection could not be closed. The others
  ///   are closed, and a further call tries again.
  public func close() async throws(OffersError) {
    let closing = Task { [self] in
      // They may be lost.
      try? await flushImageUses()
      try await engine.close()
    }
    try await OffersError.translating { try await closing.value }
  }

  deinit { if root == nil { writeImageUses() } }

  /// Runs a transaction, whose writes are all made or, if `body` throws, none. A write that is asked for checks
  /// the permit of the current task first (`WritePermit`).
  ///
  /// - Parameters:
  ///   - mode: the purpose of the transaction.
  ///   - describe: what a write with this result has changed, for `commits`; nil for anything but favorites
  ///     and pictures.
  ///   - body: its statements. It may be run again.
  package func transaction<Result: Sendable>(
    _ mode: TransactionMode,
    describe: @escaping @Sendable (Result) -> DataChanges? = { _ in nil },
    _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws(OffersError) -> Result {
    try await OffersError.translating { try await perform(mode, describe: describe, body) }
  }

  /// As `transaction`, with a body whose errors may be of any type. They are passed on as they are, except for
  /// `CancellationError`.
  package func perform<Result: Sendable>(
    _ mode: TransactionMode,
    describe: @escaping @Sendable (Result) -> DataChanges? = { _ in nil },
    _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    try OffersError.checkCancellation()
    do {
      guard let permit = mode.permit else {
        return try await engine.transaction(
          mode, describe: mode.isOfPictures ? { _ in .pictures } : describe, body)
      }
      return try await engine.transaction(mode, describe: describe) { transaction in
        try permit.check(isExclusive: mode != .favorites, in: transaction)
        return try body(transaction)
      }
    } catch is CancellationError {
      throw OffersError.cancelled
    }
  }

  /// Enqueues a write behind those that were enqueued before, without waiting for it. It may fail or be
  /// lost.
  func writeLater(_ body: @escaping @Sendable (any Transaction) throws -> Void) {
    engine.writeLater(body)
  }
}

extension OffersDatabase {
  /// The software that keeps the data.
  package var software: StoreSoftware { engine.software }

  /// The care of the file; nil for a database that is not a file.
  package var maintenance: (any StoreMaintenance)? { engine.maintenance }

  /// A folder with room for temporary files, on the disk of a file: the folder of the file, or the system's
  /// temporary folder if that one is missing or not writable.
  package var temporaryFolder: String { engine.temporaryFolder }

  /// Checks that the database can be reached, that its schema is the one that this program serves, and that
  /// one of PostgreSQL is not read-only, for a load balancer that asks. Each call reads from the database, and
  /// little.
  ///
  /// - Throws: `OffersError` with `storeUnreachable`, with `newerDatabase` for the schema of a newer
  ///   program, and otherwise with `storageFailed`.
  package func checkReadiness() async throws(OffersError) {
    try await OffersError.translating { try await engine.checkReadiness() }
  }

  /// The version of the data, which changes with each commit of any process. Cheap enough to be read before each
  /// answer. Values from before a restart cannot be compared with those after it.
  ///
  /// The version has changed when a commit of this database returns. For commits of other processes, that
  /// of a file is exact, and that of PostgreSQL is about 250 milliseconds old at most.
  ///
  /// - Throws: `OffersError` with `storageFailed`, with `storeUnreachable` if PostgreSQL could not be
  ///   reached for two seconds, or with `invalidRequest` if the database is closed.
  public func fetchDataVersion() async throws(OffersError) -> Int64 {
    try await OffersError.translating { try await engine.fetchDataVersion() }
  }
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
