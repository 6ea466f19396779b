import GRDB
import GRDBSQLite
import OffersPlatform
import SQLiteShim
import Synchronization

/// A connection that only reads `PRAGMA data_version`, to detect commits. A server uses it before
/// each response, on any number of threads. It waits neither for long reads nor for writers, but
/// fails instead.
///
/// It never writes, so it sees the commits of every other connection of this and other processes:
/// https://sqlite.org/pragma.html#pragma_data_version. A database in memory, whose only connection
/// writes, counts its commits instead.
final class VersionConnection: Sendable {
  private struct Handles {
    let database: OpaquePointer
    let statement: OpaquePointer
    let identity: FileStatus.Identity?
    /// Whether the file was opened as immutable, such as on a full disk, so that the connection sees
    /// no later commit.
    let isImmutable: Bool
  }

  private struct State {
    var handles: Handles?
    /// The number of times the connection was opened. Each connection counts from the same number.
    var openingCount: Int64 = 0
    var isClosed = false

    mutating func closeHandles() {
      guard let handles else { return }
      sqlite3_finalize(handles.statement)
      sqlite3_close_v2(handles.database)
      self.handles = nil
    }
  }

  private let file: DatabaseFile
  /// The lock is held while the connection is opened.
  private let state = Mutex(State())
  /// Whether the connection was opened, so that no caller has to wait for the opening.
  private let wasOpened = Atomic(false)

  init(_ file: DatabaseFile) { self.file = file }

  deinit { close() }

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.closeHandles()
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
      if state.handles?.isImmutable == true, file.pathForReading == file.path {
        state.closeHandles()
      }
      if state.handles == nil {
        state.handles = try Self.open(file)
        state.openingCount += 1
        wasOpened.store(true, ordering: .releasing)
      }
      guard let handles = state.handles else { return 0 }
      try file.checkIdentity(handles.identity)
      let code = sqlite3_step(handles.statement)
      let number = sqlite3_column_int64(handles.statement, 0)
      sqlite3_reset(handles.statement)
      guard code == SQLITE_ROW else { throw Self.failure(code, handles.database) }
      return state.openingCount << 32 | number & 0xFFFF_FFFF
    }
  }

  private static func open(_ file: DatabaseFile) throws -> Handles {
    var database: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
    let path = file.pathForReading
    var code = sqlite3_open_v2(path, &database, flags, nil)
    var statement: OpaquePointer?
    if code == SQLITE_OK {
      if let database {
        _ = offers_disable_checkpoint_on_close(database)
        _ = offers_set_defensive(database, 1)
      }
      code = sqlite3_prepare_v2(database, "PRAGMA data_version", -1, &statement, nil)
    }
    guard code == SQLITE_OK, let database, let statement else {
      defer { sqlite3_close_v2(database) }
      throw failure(code, database)
    }
    return Handles(
      database: database, statement: statement, identity: file.identity,
      isImmutable: path != file.path)
  }

  private static func failure(_ code: Int32, _ database: OpaquePointer?) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code),
      message: database.map { String(cString: sqlite3_errmsg($0)) })
  }
}
