import OffersCore

/// Lets one writer at a time, of all processes, into a database.
///
/// Held around every write transaction and every checkpoint. It keeps SQLite before 3.51.3 (and
/// 3.50.7, 3.44.6) from its WAL-reset bug, where a commit that races with another process's
/// checkpoint is lost although it was acknowledged; it also spares writers from ever meeting BUSY.
/// Readers do not need it. https://sqlite.org/wal.html#walresetbug
struct WriteGuard: Sendable {
  private let lock: FileLock

  /// How long a writer waits for the others. A write transaction takes seconds at the very worst.
  static let waitSeconds = 120.0

  /// - Parameter path: the lock file beside the database.
  init(path: String) throws {
    lock = try FileLock(path: path, byte: 0)
  }

  /// Runs `body` while no other process writes or checkpoints.
  func hold<Result>(
    waitSeconds: Double = waitSeconds, _ body: () throws -> Result
  ) throws -> Result {
    guard try lock.lock(waitSeconds: waitSeconds) else {
      throw OffersError(
        .storageFailed,
        "Another process has been writing to the database for \(Int(waitSeconds)) seconds.",
        hint: "Wait for it or stop it, then try again. Nothing was changed.")
    }
    defer { lock.unlock() }
    return try body()
  }

  /// Runs `body` if no other process writes or checkpoints; returns nil otherwise.
  func holdIfFree<Result>(_ body: () throws -> Result) throws -> Result? {
    guard try lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return try body()
  }
}
