import Foundation
import OffersCore
import OffersPlatform

/// Exclusive locks, one for each number. Instances for the same place exclude each other.
protocol NumberedLocks: Sendable {
  /// Acquires a lock if it is free. Returns true as well if this instance holds it.
  func tryLock(byte: Int64) throws(SystemError) -> Bool

  /// Whether another instance has the lock.
  func isHeld(byte: Int64) throws(SystemError) -> Bool

  func unlock(byte: Int64)

  /// Releases all locks of this instance.
  func unlockAll()
}

extension LockFile: NumberedLocks {}

/// The locks of a database, between processes and between databases within one process: the bytes of a
/// `LockFile`, or `MemoryDatabaseLocks`.
final class DatabaseLock: Sendable {
  private let file: any NumberedLocks

  /// The byte of `WriteGuard`, which is locked unless another one is given. The others are sync locks;
  /// different bytes are independent locks.
  static let writeByte: Int64 = 0

  /// - Parameter path: the lock file. It is created if missing, readable by its owner only, and never
  ///   removed.
  init(path: String) throws {
    do {
      file = try LockFile(path: path)
    } catch {
      if error.number == ELOOP {
        throw OffersError(
          .storageFailed, "The lock file \(path) is a symbolic link, which is not followed.",
          hint: "Remove the link. If you did not make it, check who else can write to the folder.")
      }
      throw OffersError(
        .storageFailed, "Could not open the lock file \(path): \(error.text).",
        advice: FileErrorAdvice.advice(
          on: error.number, otherwise: "Check the folder's permissions."))
    }
  }

  /// Locks of a database in memory.
  init(in state: MemoryDatabaseState) { file = MemoryDatabaseLocks(state) }

  /// Acquires a lock if it is free.
  func tryLock(byte: Int64 = writeByte) throws -> Bool {
    do {
      return try file.tryLock(byte: byte)
    } catch {
      throw Self.failure("lock the database", error)
    }
  }

  /// Whether another holder has a lock.
  func isHeld(byte: Int64 = writeByte) throws -> Bool {
    do {
      return try file.isHeld(byte: byte)
    } catch {
      throw Self.failure("query the locks", error)
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
  func unlock() { file.unlock(byte: Self.writeByte) }

  /// Releases the locks of all bytes.
  func unlockAll() { file.unlockAll() }

  private static func failure(_ operation: String, _ error: SystemError) -> OffersError {
    OffersError(
      .storageFailed, "Could not \(operation): \(error.text).",
      hint: "The file system may not support locks; keep the database on a local disk.")
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
