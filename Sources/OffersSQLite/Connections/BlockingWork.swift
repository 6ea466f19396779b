import Dispatch

/// Work that may block its thread, such as opening a file. It runs on a thread of the system's
/// queues, because a blocked thread of the concurrency pool is missing to all other tasks.
package enum BlockingWork {
  /// Runs `body` to its end, even if the task is cancelled.
  package static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Swift.Result(catching: body)) }
    }
  }
}
