import Foundation

/// Work on a thread of its own. The threads of Swift's pool and of Dispatch's global queues are as many as
/// the cores, so that work which blocks them delays all other work.
package enum OwnThread {
  /// Runs `body` to its end, even if the task is cancelled.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { answer in
      Thread.detachNewThread { answer.resume(with: Result(catching: body)) }
    }
  }
}
