extension FileLock {
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
