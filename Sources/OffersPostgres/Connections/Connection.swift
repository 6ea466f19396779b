import Dispatch
import OffersCore

/// A connection to the server, on a thread of its own, because libpq's calls wait: a thread of the
/// concurrency pool that waits is missing to all other tasks.
actor Connection {
  /// Runs the actor's calls one after another on a dispatch queue, which may be blocked.
  private final class QueueExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "offers.postgres")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
  }

  private let executor = QueueExecutor()
  private var session: DatabaseSession?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Connects to the server. Needs no thread of the concurrency pool, which other work may block.
  ///
  /// - Parameter done: is called on the connection's thread, with what cancels the operations of the
  ///   connection, or with the error.
  nonisolated func open(
    _ url: DatabaseURL, done: @escaping @Sendable (Result<Cancellation, any Error>) -> Void
  ) {
    executor.queue.async {
      done(Result { try self.assumeIsolated { try $0.open(url) } })
    }
  }

  /// Connects to the server.
  ///
  /// - Returns: what cancels the operations of the connection.
  func open(_ url: DatabaseURL) throws -> Cancellation {
    let session = try DatabaseSession(url)
    self.session = session
    return session.cancellation
  }

  /// Runs an operation.
  ///
  /// - Returns: its result, or its error and whether the connection can be used again.
  func run<Result: Sendable>(
    within limit: DatabaseSession.Limit = .statement,
    _ body: @Sendable (DatabaseSession) throws -> Result
  ) -> (result: Swift.Result<Result, any Error>, isUsable: Bool) {
    guard let session else {
      return (.failure(CancellationError()), false)
    }
    session.begin(limit)
    let result = Swift.Result { try body(session) }
    let isUsable = session.isUsable
    if isUsable { session.cancellation.end() } else { session.cancellation.abandon() }
    return (result, isUsable)
  }
}
