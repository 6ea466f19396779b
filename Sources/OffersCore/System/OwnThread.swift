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

/// Limits the duration of asynchronous operations.
package enum Timeout {
  /// Runs `body`, and cancels it after `seconds`. Returns or throws only when `body` has ended, so
  /// `body` must respond to cancellation.
  ///
  /// - Parameter late: makes the error of the timeout.
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

/// A shared library that is opened when it is first needed, and stays open.
package enum SharedLibrary {
  /// Opens a library, as the initial value of a static property.
  ///
  /// - Parameters:
  ///   - package: the Debian package that has it.
  ///   - open: returns the functions of the library, or nil and the linker's message.
  /// - Returns: the functions, or an error with `storageFailed` that names the package.
  package static func open<Functions>(
    _ name: String, package: String,
    by open: (inout UnsafePointer<CChar>?) -> UnsafePointer<Functions>?
  ) -> Result<Functions, OffersError> {
    var problem: UnsafePointer<CChar>?
    if let functions = open(&problem) { return .success(functions.pointee) }
    return .failure(
      OffersError(
        .storageFailed, "The library \(name) could not be loaded.",
        hint: "Install it: on Debian the package \(package).",
        cause: problem.map { String(cString: $0) }))
  }
}

/// Access to the environment of the process.
package enum EnvironmentVariable {
  /// The value of a variable; nil when it is not set. Calls `getenv`, because `ProcessInfo` copies
  /// the whole environment for each lookup.
  package static func find(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
