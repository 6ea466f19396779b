import GRDB
import OffersPlatform
import Synchronization

/// A connection that only reads `PRAGMA data_version`, to detect commits. A server uses it before
/// each response, on any number of threads. It waits neither for long reads nor for writers, but
/// fails instead.
///
/// It never writes, so it sees the commits of every other connection of this and other processes:
/// https://sqlite.org/pragma.html#pragma_data_version. A database in memory, whose only connection
/// writes, counts its commits instead.
final class VersionConnection: Sendable {
  private struct Connection {
    let queue: DatabaseQueue
    let identity: FileStatus.Identity?
    /// Whether the file was opened as immutable, such as on a full disk, so that the connection sees
    /// no later commit.
    let isImmutable: Bool
  }

  private struct State {
    var connection: Connection?
    /// The number of times the connection was opened. Each connection counts from the same number.
    var openingCount: Int64 = 0
    var isClosed = false
  }

  private let file: DatabaseFile
  /// The lock is held while the connection is opened.
  private let state = Mutex(State())
  /// Whether the connection was opened, so that no caller has to wait for the opening.
  private let wasOpened = Atomic(false)

  init(_ file: DatabaseFile) { self.file = file }

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.connection = nil
    }
  }

  /// The number of `fetch` within microseconds; nil if the connection must be opened first.
  ///
  /// - Throws: as `fetch`.
  func fetchIfOpen() throws -> Int64? {
    file.memory != nil || wasOpened.load(ordering: .acquiring) ? try fetch() : nil
  }

  /// A number that differs from the last result if another connection has committed since then.
  /// The first call opens the connection, which may block the thread.
  ///
  /// - Throws: `DatabaseError`; `OffersError` if the file was replaced or removed, or the
  ///   connection was closed.
  func fetch() throws -> Int64 {
    try state.withLock { state in
      if state.isClosed { throw file.closedError }
      if let memory = file.memory { return memory.bell.count }
      if state.connection?.isImmutable == true, file.pathForReading == file.path {
        state.connection = nil
      }
      let connection = try state.connection ?? Self.open(file)
      if state.connection == nil {
        state.connection = connection
        state.openingCount += 1
        wasOpened.store(true, ordering: .releasing)
      }
      try file.checkIdentity(connection.identity)
      let number = try connection.queue.inDatabase { database in
        try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA data_version")) ?? 0
      }
      return state.openingCount << 32 | number & 0xFFFF_FFFF
    }
  }

  private static func open(_ file: DatabaseFile) throws -> Connection {
    var configuration = Configuration.offers(isReadOnly: true)
    configuration.busyMode = .immediateError
    let path = file.pathForReading
    return Connection(
      queue: try DatabaseQueue(path: path, configuration: configuration),
      identity: file.identity, isImmutable: path != file.path)
  }
}
