import Synchronization

/// Work that runs once at a time for all who need it, and goes on when they leave.
final class SharedWork: Sendable {
  private typealias Waiter = AsyncStream<(any Error)?>.Continuation

  private struct State {
    var waiters: [Waiter] = []
    var task: Task<Void, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())
  private let work: @Sendable () async throws -> Void

  /// - Parameter work: is cancelled by `close` only.
  init(_ work: @escaping @Sendable () async throws -> Void) { self.work = work }

  /// Waits until the work is done, and begins it unless it is running.
  ///
  /// - Throws: the error of the work; `CancellationError` if the task is cancelled, and after `close`.
  func run() async throws {
    let (results, waiter) = AsyncStream.makeStream(of: (any Error)?.self)
    try state.withLock { state in
      if state.isClosed { throw CancellationError() }
      state.waiters.append(waiter)
      // Detached, because the work belongs to none of those who wait.
      if state.task == nil { state.task = Task.detached { await self.finish() } }
    }
    for await error in results {
      if let error { throw error }
      return
    }
    throw CancellationError()
  }

  private func finish() async {
    var failure: (any Error)?
    do { try await work() } catch { failure = error }
    let waiters = state.withLock { state in
      state.task = nil
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.yield(failure) }
  }

  /// Cancels the work and waits for its end.
  func close() async {
    let task = state.withLock { state in
      state.isClosed = true
      return state.task
    }
    task?.cancel()
    await task?.value
  }
}
