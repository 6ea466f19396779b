import Dispatch
import OffersCore

/// A thread with a connection to the server. libpq's calls block their thread, and a blocked thread of the
/// concurrency pool would be missing to all other tasks.
actor ConnectionThread {
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
  private var connection: Connection?

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
    let connection = try Connection(url)
    self.connection = connection
    return connection.cancellation
  }

  /// Runs an operation.
  ///
  /// - Returns: its result, or its error and whether the connection can be used again.
  func run<Result: Sendable>(
    within limit: Connection.Limit = .statement,
    _ body: @Sendable (Connection) throws -> Result
  ) -> (result: Swift.Result<Result, any Error>, isUsable: Bool) {
    guard let connection else {
      return (.failure(CancellationError()), false)
    }
    connection.begin(limit)
    let result = Swift.Result { try body(connection) }
    let isUsable = connection.isUsable
    if isUsable { connection.cancellation.end() } else { connection.cancellation.abandon() }
    return (result, isUsable)
  }
}
