import OffersCore

/// A database that runs SQL: a file, memory, or PostgreSQL. `OffersDatabase` stands on it, and says all that is
/// said to it.
///
/// It is the one seam at which a test can delay, count or refuse calls.
package protocol Engine: AnyObject, Sendable {
  /// The place of the database, as people know it, such as a path. It has no password.
  var place: String { get }

  /// The software that keeps the data.
  var software: StoreSoftware { get }

  /// The care of the file; nil for a database that is not a file.
  var maintenance: (any StoreMaintenance)? { get }

  /// Whether the database was opened for writing.
  var canWrite: Bool { get }

  /// A folder for temporary files, on the disk of a file.
  var temporaryFolder: String { get }

  /// Runs a transaction, whose writes are all made or, if `body` throws, none.
  ///
  /// - Parameters:
  ///   - mode: the purpose of the transaction.
  ///   - describe: what a write with this result has changed, for `commits()`.
  ///   - body: its statements. It may be run again.
  func transaction<Result: Sendable>(
    _ mode: TransactionMode, describe: @escaping @Sendable (Result) -> DataChanges?,
    _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result

  /// Runs `body` while no other program syncs some feeds.
  ///
  /// - Parameters:
  ///   - feeds: sorted, so that two callers with several feeds cannot deadlock.
  ///   - waitSeconds: the longest wait for the lock of a feed.
  ///   - body: called once all locks are held.
  func withSyncLocks<Result: Sendable>(
    on feeds: [String], waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result

  /// Enqueues a write behind those that were enqueued before, without waiting for it. It may fail or be
  /// lost.
  func writeLater(_ body: @escaping @Sendable (any Transaction) throws -> Void)

  /// Waits for the writes that were enqueued.
  func finishLaterWrites() async throws

  /// Updates the search index if it is not current, also of a database that was opened for reading. If nothing
  /// has to be prepared, the call is cheap.
  func prepareSearch() async throws

  /// Frees what removed offers and changes left behind: words of PostgreSQL's search, free pages in a
  /// file.
  func compactAfterRemoval() async throws

  /// The version of the data, which changes with each commit of any process; see `OffersDatabase.fetchDataVersion()`.
  func fetchDataVersion() async throws -> Int64

  /// The current version of the data, then each new one, for one observer at a time (`CommitWatch`). The stream
  /// ends when its task is cancelled or the database is closed. While the database cannot be read, it waits.
  func commits() -> AsyncStream<DataCommit>

  /// Checks that transactions can be run now; see `OffersDatabase.checkReadiness()`.
  func checkReadiness() async throws

  /// Waits for the transactions under way, and closes the connections. A second call does nothing more.
  func close() async throws
}

/// The software that keeps the data of a store.
package struct StoreSoftware: Hashable, Sendable {
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

/// A database of a version before the first migration.
package enum OlderDatabase {
  /// The error that refuses it.
  ///
  /// - Parameter name: the database, as a sentence begins with it.
  package static func refusal(_ name: String) -> OffersError {
    OffersError(
      .storageFailed,
      "\(name) was written by a version of the program that is too old to be brought up to date. "
        + "It was left untouched.",
      hint:
        "Export it with the version that wrote it last, and import the export with this one into "
        + "a new database.")
  }
}
