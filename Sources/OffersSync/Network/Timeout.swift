import OffersCore

/// Limits the duration of asynchronous operations.
package enum Timeout {
  /// Runs `body`, and cancels it after `seconds`. Returns or throws only when `body` has ended, so
  /// `body` must respond to cancellation.
  ///
  /// - Parameters:
  ///   - seconds: the longest duration.
  ///   - body: the operation.
  ///   - late: makes the error of the timeout.
  /// - Throws: the error of `body`; after the timeout, the error of `late`; `CancellationError` if
  ///   the caller is cancelled.
  package static func run<Result: Sendable>(
    seconds: Double, _ body: @escaping @Sendable () async throws -> Result,
    late: @escaping @Sendable () -> any Error
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
      group.addTask(operation: body)
      group.addTask {
        try await Task.sleep(for: .wait(seconds: seconds))
        throw late()
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw late() }
      return first
    }
  }
}
