public import Foundation
public import OffersFeeds
internal import OffersSQLite
public import OffersStore

extension OffersDatabase {
  /// Opens a database, or creates one without feeds and offers.
  ///
  /// Opening for writing waits up to 120 seconds for other writers, such as an import; opening for
  /// reading waits for nobody, unless the file must be migrated. The calling thread is not blocked,
  /// nor is a thread of the concurrency pool.
  ///
  /// - Parameters:
  ///   - file: a file URL.
  ///   - access: with `readWrite`, a missing file and its folder are created.
  ///   - readerCount: the maximum number of concurrent reads, each on a connection that is opened
  ///     when it is first needed. Further reads wait.
  ///   - configuration: the definitions of the feeds, the same as those of the `SyncEngine`. A
  ///     defined feed has an empty list before its first sync; an undefined and unsubscribed one
  ///     makes a query fail with `notFound`.
  /// - Throws: `OffersError`: `invalidRequest` if `file` is no file URL or names `:memory:` (see
  ///   `inMemory(configuration:)`),
  ///   `notFound` if the access is read-only and the file does not exist, `newerDatabase` if a newer
  ///   program wrote the file, `storageFailed` if the file belongs to another program, is damaged, or
  ///   access is denied, or if the loaded SQLite is too old, `locked` if a restoration was interrupted
  ///   and another program has the old file open. The file is then untouched.
  ///   `cancelled` if the task is cancelled while it waits; nothing is then created or changed.
  public static func open(
    at file: URL, access: Access = .readWrite, readerCount: Int = 4,
    configuration: FeedConfiguration = .shipped
  ) async throws(OffersError) -> OffersDatabase {
    try await OffersError.translating {
      try await open(
        path: filePath(of: file), access: access, readerCount: readerCount, proposesFeed: false,
        definitions: configuration)
    }
  }

  /// Opens a new database in memory, without feeds and offers: for previews and tests of an app.
  ///
  /// It is a real SQLite database with the tables, the statements and the errors of a file, and is
  /// gone when it is released. Each call returns another one, which no other process can open. Two
  /// things differ from a file: reads and writes take turns on one connection, so that a read may
  /// wait for a write, and its `place` is `:memory:`. `backUp(to:)` and `export(to:)` write files as
  /// usual.
  ///
  /// ```swift
  /// let database = try await OffersDatabase.inMemory()
  /// let run = try await SyncEngine(store: database).sync(
  ///   "ibotta", options: SyncOptions(source: .sample))
  /// let offers = try await database.fetchOffers(OfferQuery(feed: "ibotta"))
  /// ```
  ///
  /// - Parameter configuration: the definitions of the feeds, as for
  ///   `open(at:access:readerCount:configuration:)`.
  /// - Throws: `OffersError` with `storageFailed` if there is not enough memory, or if the loaded
  ///   SQLite is too old; `cancelled` if the task is cancelled.
  public static func inMemory(
    configuration: FeedConfiguration = .shipped
  ) async throws(OffersError) -> OffersDatabase {
    try await OffersError.translating { try await inMemory(definitions: configuration) }
  }

  /// The path of a file URL.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for another URL.
  static func filePath(of file: URL) throws(OffersError) -> String {
    let path = file.isFileURL ? file.path : ""
    guard path.hasPrefix("/") else {
      throw OffersError(
        .invalidRequest, "The URL of the file is not that of a file.", hint: "Give a file URL.")
    }
    return path
  }
}
