/// Limits the duration of asynchronous operations.
package enum Timeout {
  /// Runs `body`, and cancels it after `seconds`.
  ///
  /// - Throws: the error of `body`, or the error of `late` after the timeout.
  package static func run<Result: Sendable>(
    seconds: Double, _ body: @escaping @Sendable () async throws -> Result,
    late: @escaping @Sendable () -> any Error
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
      group.addTask(operation: body)
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        throw late()
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw late() }
      return first
    }
  }
}
