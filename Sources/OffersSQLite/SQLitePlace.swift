import Foundation
import OffersCore
import OffersPlatform
import OffersStore

/// The file of a SQLite store.
package struct SQLitePlace: StoreFile {
  package let path: String

  /// - Throws: `OffersError` with `invalidRequest` for a path that names no file, such as a URL.
  package init(path: String) throws {
    try SQLiteEngine.check(path: path)
    self.path = path
  }

  /// A file that is only looked at.
  package init(unchecked path: String) { self.path = path }

  /// The file, with its links resolved.
  var file: DatabaseFile { DatabaseFile(path: DatabaseFile.resolve(path)) }

  /// Whether there is a file, whatever its contents, or will be one once a restoration is completed.
  package var exists: Bool {
    DatabaseFile(path: path).exists || FileReplacement(file: file).isPending
  }

  package var missing: OffersError { SQLiteEngine.missing(at: path) }
  package var temporaryFolder: String { file.temporaryFolder }
  package var sizeBytes: Int { file.bytes + file.logBytes }

  package func findFreeBytes() -> Int? {
    // A folder that cannot be looked at is reported by the checks of the file.
    try? DiskSpace.freeBytes(of: file.folder)
  }

  package func open(_ access: OffersDatabase.Access) async throws -> OffersDatabase {
    try await OffersDatabase.open(path: path, access: access)
  }

  package func requireUnused() async throws {
    do {
      try await OwnThread.run { [file] in
        _ = try FileReplacement(file: file).requireUnused()
      }
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  package func noteImageUse(of url: String) async throws {
    if try DatabaseLock(path: file.lockPath).isHeld() { return }
    let database = try await OffersDatabase.open(path: path)
    _ = database.imageUses.note(url, isAsked: true)
    try await database.flushImageUses()
  }
}

extension OffersDatabase {
  /// Opens the database in a file, bound to its owner.
  ///
  /// Opening for writing waits up to 120 seconds for other writers, such as an import; opening for
  /// reading waits for nobody, unless the file must be migrated. The calling thread is not blocked,
  /// nor is a thread of the concurrency pool.
  ///
  /// - Parameters:
  ///   - path: the file. A URL is refused.
  ///   - access: with `readWrite`, a missing file and its folder are created.
  ///   - readerCount: the maximum number of concurrent reads, each on a connection that is opened
  ///     when it is first needed. Further reads wait.
  ///   - proposesFeed: whether a new database is subscribed to `Feed.initialName`, with its built-in
  ///     sample.
  ///   - definitions: the definitions of feeds.
  /// - Throws: as `SQLiteEngine.open(path:access:readerCount:proposesFeed:)`.
  package static func open(
    path: String, access: Access = .readWrite, readerCount: Int = 4, proposesFeed: Bool = true,
    definitions: (any FeedDefinitions)? = nil
  ) async throws -> OffersDatabase {
    OffersDatabase(
      try await SQLiteEngine.open(
        path: path, access: access, readerCount: readerCount, proposesFeed: proposesFeed),
      definitions: definitions)
  }

  /// Opens a new database in memory, without feeds and offers.
  ///
  /// It has the tables and statements of a file, but one connection, on which reads and writes take
  /// turns. It has no `maintenance`.
  ///
  /// - Parameter definitions: the definitions of feeds; nil if the caller handles unknown feeds itself.
  package static func inMemory(
    definitions: (any FeedDefinitions)?
  ) async throws -> OffersDatabase {
    OffersDatabase(try await SQLiteEngine.inMemory(), definitions: definitions)
  }
}
