import OffersCore
import OffersPlatform

/// Excludes writers of other processes, so that one process at a time writes to a database.
///
/// The guard is held around every write transaction and every checkpoint. It prevents the WAL-reset
/// bug of SQLite before 3.51.3 (and 3.50.7, 3.44.6), in which a commit that races with another
/// process's checkpoint is lost although it was acknowledged. It also keeps writers from meeting
/// SQLITE_BUSY. Readers do not need it. https://sqlite.org/wal.html#walresetbug
struct WriteGuard: Sendable {
  private let lock: DatabaseLock
  private let path: String

  /// The maximum wait for other writers. A single write transaction takes seconds at most.
  static let waitSeconds = 120.0
  /// The maximum wait for other writers to record a finished search or the uses of images, which are
  /// not worth more.
  static let noteWaitSeconds = 2.0

  init(_ file: DatabaseFile) throws {
    path = file.lockPath
    lock = try file.makeLock()
  }

  /// Runs `body` while no other process writes or checkpoints.
  func hold<Result>(
    waitSeconds: Double = waitSeconds, _ body: () throws -> Result
  ) throws -> Result {
    guard try lock.lock(waitSeconds: waitSeconds) else { throw timeout(waitSeconds) }
    defer { lock.unlock() }
    return try body()
  }

  /// Runs `body` on a thread that may block, while no other process writes or checkpoints. The wait
  /// for other writers blocks no thread.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it waits. Once begun, `body` runs
  ///   to its end.
  func holdWithoutBlocking<Result: Sendable>(
    waitSeconds: Double = waitSeconds, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let deadline = ContinuousClock.now + .seconds(waitSeconds)
    guard try await lock.lock(byte: DatabaseLock.writeByte, until: deadline) else {
      throw timeout(waitSeconds)
    }
    defer { lock.unlock() }
    return try await BlockingWork.run(body)
  }

  private func timeout(_ waitSeconds: Double) -> OffersError {
    let holder = LockHolder.find(on: path)?.first { $0.byte == DatabaseLock.writeByte }
    let name = holder.map { "Another process, \($0.name) (\($0.pid))," } ?? "Another process"
    let state =
      holder?.isStopped == true
      ? "is stopped and has held the database locked" : "has been writing to the database"
    return OffersError(
      .storageFailed, "\(name) \(state) for \(Int(waitSeconds)) seconds.",
      advice: holder?.isStopped == true
        ? BlockingProcess.advice(holder)
        : "Wait for it or stop it, then try again. Nothing was changed.")
  }

  /// Runs `body` if no other process writes or checkpoints; returns nil otherwise.
  func holdIfFree<Result>(_ body: () throws -> Result) throws -> Result? {
    guard try lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return try body()
  }
}
