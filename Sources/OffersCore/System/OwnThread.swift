import Dispatch
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

  /// Runs `body`, which may wait in between and hears of the cancellation of its task, and what it calls on no
  /// actor.
  package static func runTask<Value: Sendable>(
    _ body: () async throws -> Value
  ) async throws -> Value {
    try await withTaskExecutorPreference(QueueExecutor(), operation: body)
  }

  /// Runs the parts of one task on a queue of its own.
  private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "offers.task")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}
