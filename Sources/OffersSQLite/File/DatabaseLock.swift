import Foundation
import GRDB
import GRDBSQLite
import OffersCore
import OffersPlatform
import Synchronization

/// The locks of a database, one for each number: the bytes of a lock file, between processes and between
/// databases within one process, or `MemoryDatabaseState`. Instances for the same place exclude each other.
final class DatabaseLock: Sendable {
  private enum Place {
    case file(LockFile)
    case memory(MemoryDatabaseState)
  }

  private let place: Place

  /// The byte of `WriteGuard`, which is locked unless another one is given. The others are sync locks;
  /// different bytes are independent locks.
  static let writeByte: Int64 = 0

  /// - Parameter path: the lock file. It is created if missing, readable by its owner only, and never
  ///   removed.
  init(path: String) throws {
    do {
      place = .file(try LockFile(path: path))
    } catch {
      if error.number == ELOOP {
        throw OffersError(
          .storageFailed, "The lock file \(path) is a symbolic link, which is not followed.",
          hint: "Remove the link. If you did not make it, check who else can write to the folder.")
      }
      throw OffersError(
        .storageFailed, "Could not open the lock file \(path): \(error.text).",
        hint: .failure(error.number, otherwise: "Check the folder's permissions."))
    }
  }

  /// Locks of a database in memory.
  init(in state: MemoryDatabaseState) { place = .memory(state) }

  deinit { unlockAll() }

  /// Acquires a lock if it is free. Returns true as well if this instance holds it.
  func tryLock(byte: Int64 = writeByte) throws -> Bool {
    switch place {
    case .memory(let state): return state.tryLock(byte, for: ObjectIdentifier(self))
    case .file(let file): return try Self.translating { try file.tryLock(byte: byte) }
    }
  }

  /// Whether another instance has a lock.
  func isHeld(byte: Int64 = writeByte) throws -> Bool {
    switch place {
    case .memory(let state): return state.isHeld(byte, byOtherThan: ObjectIdentifier(self))
    case .file(let file): return try Self.translating { try file.isHeld(byte: byte) }
    }
  }

  /// Acquires the lock of writers, polling with a growing, randomized pause. Returns false after
  /// `waitSeconds`.
  ///
  /// - Throws: `OffersError` with `storageFailed`; `CancellationError` if the task is cancelled
  ///   while it waits.
  func lock(waitSeconds: Double) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(waitSeconds)
    var pauseMicroseconds: UInt32 = 200
    while !(try tryLock()) {
      if ContinuousClock.now >= deadline { return false }
      try Task.checkCancellation()
      usleep(.random(in: pauseMicroseconds / 2...pauseMicroseconds))
      pauseMicroseconds = min(pauseMicroseconds * 2, 10_000)
    }
    return true
  }

  /// Releases the lock of writers.
  func unlock() {
    switch place {
    case .memory(let state): state.unlock(Self.writeByte, of: ObjectIdentifier(self))
    case .file(let file): file.unlock(byte: Self.writeByte)
    }
  }

  /// Releases the locks of all bytes.
  func unlockAll() {
    switch place {
    case .memory(let state): state.unlock(nil, of: ObjectIdentifier(self))
    case .file(let file): file.unlockAll()
    }
  }

  private static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SystemError {
      throw OffersError(
        .storageFailed, "The locks of the database cannot be used: \(error.text).",
        hint: "The file system may not support locks; keep the database on a local disk.")
    }
  }
}

extension DatabaseLock {
  /// Acquires the lock of a byte. Between attempts the task is suspended, so no thread is blocked.
  ///
  /// - Returns: false if the lock is still held at the deadline.
  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  func lock(byte: Int64, until deadline: ContinuousClock.Instant) async throws -> Bool {
    var pauseMilliseconds = 1
    while !(try tryLock(byte: byte)) {
      guard ContinuousClock.now < deadline else { return false }
      try await Task.sleep(for: .milliseconds(pauseMilliseconds))
      pauseMilliseconds = min(pauseMilliseconds * 2, 16)
    }
    return true
  }
}

/// An exclusive lock on a database file that keeps out every connection of every program.
///
/// A connection that has read a database in WAL mode keeps a shared lock on the file until it is
/// closed. The exclusive lock is therefore free only if nobody has the database open: no reader, no
/// server, no older version of this program, no other SQLite program, and no other part of this
/// process. https://sqlite.org/lockingv3.html
///
/// A connection that has opened the file as immutable holds no lock. It reads the file that it has
/// opened, whatever becomes of the name.
///
/// The lock is SQLite's own, taken through SQLite's file handle, because a descriptor of our own
/// would drop this process's locks when it is closed. None of the file's pages is read, so the file
/// may be damaged.
final class ExclusiveFileLock {
  private let connection: OpaquePointer
  private let file: UnsafeMutablePointer<sqlite3_file>

  private init(_ connection: OpaquePointer, _ file: UnsafeMutablePointer<sqlite3_file>) {
    self.connection = connection
    self.file = file
  }

  deinit {
    _ = file.pointee.pMethods?.pointee.xUnlock?(file, SQLITE_LOCK_NONE)
    sqlite3_close(connection)
  }

  /// Acquires the lock if it is free.
  ///
  /// - Parameter path: an existing file, with its links resolved.
  /// - Returns: nil if the file is open elsewhere.
  /// - Throws: `DatabaseError` if the file cannot be opened or locked.
  static func acquire(_ path: String) throws -> ExclusiveFileLock? {
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let connection else {
      sqlite3_close(connection)
      throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard let file, let lock = file.pointee.pMethods?.pointee.xLock else {
      sqlite3_close(connection)
      throw DatabaseError(resultCode: .SQLITE_CANTOPEN)
    }
    let hold = ExclusiveFileLock(connection, file)
    for level in [SQLITE_LOCK_SHARED, SQLITE_LOCK_EXCLUSIVE] {
      let code = lock(file, level)
      if code & 0xFF == SQLITE_BUSY { return nil }
      if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
    return hold
  }
}

/// The locks and the number of commits of a database in memory. A database in a file has its lock file and
/// `PRAGMA data_version` instead. No other database can use them.
final class MemoryDatabaseState: Sendable {
  /// The holders of the locks, by the number of the lock.
  private let holders = Mutex<[Int64: ObjectIdentifier]>([:])
  /// Counts the commits.
  let bell = CommitBell()

  fileprivate func tryLock(_ number: Int64, for holder: ObjectIdentifier) -> Bool {
    holders.withLock { holders in
      if holders[number] == nil { holders[number] = holder }
      return holders[number] == holder
    }
  }

  fileprivate func isHeld(_ number: Int64, byOtherThan holder: ObjectIdentifier) -> Bool {
    holders.withLock { holders in holders[number].map { $0 != holder } ?? false }
  }

  /// Releases a lock of a holder, or all of them.
  fileprivate func unlock(_ number: Int64?, of holder: ObjectIdentifier) {
    holders.withLock { holders in
      holders = holders.filter { $0.value != holder || $0.key != (number ?? $0.key) }
    }
  }
}
