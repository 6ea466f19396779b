import Dispatch
import OffersCore
import PostgresShim
import Synchronization

/// A bounded number of connections to a database. They are opened when they are needed, and given to
/// the operations in the order in which these ask.
final class ConnectionPool: Sendable {
  /// An open connection and what cancels its operations.
  struct Member: Sendable {
    fileprivate let thread: ConnectionThread
    fileprivate let cancellation: Cancellation
    /// The number of losses of connections that the pool knew when it was opened.
    fileprivate let age: Int
  }

  /// An operation that waits for a connection.
  private struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Member, any Error>
  }

  private struct State {
    var idle: [Member] = []
    /// Open connections, idle ones included, and those that are being opened.
    var count = 0
    var openingCount = 0
    /// The number of the last attempt to open a connection.
    var lastAttempt = 0
    var waiters: [Waiter] = []
    var lastWaiter = 0
    /// Connections opened before the last loss are closed, because they are probably lost as well.
    var age = 0
    var isClosed = false
  }

  let url: DatabaseURL
  private let limit: Int
  private let waitSeconds: Int
  private let state = Mutex(State())

  init(_ url: DatabaseURL, limit: Int, waitSeconds: Int = 60) {
    self.url = url
    self.limit = limit
    self.waitSeconds = waitSeconds
  }

  /// Closes the idle connections, and the others when their operations end. Operations that wait, and
  /// later ones, are refused.
  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      state.count -= state.idle.count
      state.idle = []
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(throwing: Self.closed) }
  }

  /// The error of operations on a closed database.
  static let closed = OffersError(.invalidRequest, "The database is closed.")

  /// Runs an operation on a connection. If the task is cancelled, the statement that runs is
  /// cancelled on the server.
  ///
  /// - Throws: the error of the operation; `CancellationError`; `PostgresFailure` or `OffersError` if
  ///   there is no connection.
  func run<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let member = try await take()
    let number = member.cancellation.begin()
    let (result, isUsable) = await withTaskCancellationHandler {
      await member.thread.run(body)
    } onCancel: {
      member.cancellation.cancel(number)
    }
    give(back: member, isUsable: isUsable)
    return try result.get()
  }

  /// The number of open connections, for tests.
  var openCount: Int { state.withLock { $0.count - $0.openingCount } }

  private func take() async throws -> Member {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait(number, $0) }
    } onCancel: {
      giveUp(number, CancellationError())
    }
  }

  /// Puts an operation at the end of the queue for a connection.
  private func wait(_ number: Int, _ continuation: CheckedContinuation<Member, any Error>) {
    let refusal = state.withLock { state -> (any Error)? in
      if state.isClosed { return Self.closed }
      // A cancellation before this call found no waiter to remove.
      if Task.isCancelled { return CancellationError() }
      state.waiters.append(Waiter(number: number, continuation: continuation))
      return nil
    }
    if let refusal { return continuation.resume(throwing: refusal) }
    serve()
    if !state.withLock({ $0.waiters.contains { $0.number == number } }) { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(waitSeconds)) { [weak self] in
      guard let self else { return }
      self.giveUp(
        number,
        OffersError(
          .storageFailed, "\(self.url.capitalized) was busy for too long. Nothing was changed.",
          hint: "All connections of this program were in use. Try again."))
    }
  }

  /// Gives the idle connections to the operations that wait longest, and opens another one if more wait and
  /// there may be one.
  private func serve() {
    let (served, opens) = state.withLock { state in
      var served: [(Waiter, Member)] = []
      while !state.waiters.isEmpty, let member = state.idle.popLast() {
        served.append((state.waiters.removeFirst(), member))
      }
      let opens =
        !state.isClosed && state.count < limit && state.openingCount < state.waiters.count
      if opens {
        state.count += 1
        state.openingCount += 1
      }
      return (served, opens)
    }
    for (waiter, member) in served { waiter.continuation.resume(returning: member) }
    if opens { open() }
  }

  /// Ends the wait of an operation, unless it has a connection.
  private func giveUp(_ number: Int, _ error: any Error) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(throwing: error)
  }

  /// Opens a connection for the operation that waits longest. The time of the attempt to connect is
  /// limited.
  private func open() {
    let (age, attempt, beginsAlone) = state.withLock { state in
      state.lastAttempt += 1
      return (state.age, state.lastAttempt, state.openingCount == 1)
    }
    let thread = ConnectionThread()
    thread.open(url) { [self] opened in
      switch opened {
      case .success(let cancellation):
        state.withLock { $0.openingCount -= 1 }
        give(
          back: Member(thread: thread, cancellation: cancellation, age: age),
          isUsable: true)
      case .failure(let error):
        let isAtLimit = (error as? PostgresFailure)?.isConnectionLimit == true
        let (waiter, mayOpen) = state.withLock { state in
          state.openingCount -= 1
          state.count -= 1
          // The operations wait for the connections that are open, instead of failing. The server counts
          // attempts as connections, so it may refuse all of those that are made at the same time.
          let isAlone = beginsAlone && state.lastAttempt == attempt
          if isAtLimit, state.count > 0 || !isAlone { return (nil as Waiter?, state.count == 0) }
          return (state.waiters.isEmpty ? nil : state.waiters.removeFirst(), true)
        }
        waiter?.continuation.resume(throwing: error)
        if mayOpen { serve() }
      }
    }
  }

  /// Takes back a connection; one that cannot be used again is closed.
  private func give(back member: Member, isUsable: Bool) {
    state.withLock { state in
      // The server may still answer others than the one that did not end what was cancelled.
      let isLost = !isUsable && !member.cancellation.isCancelled
      if isLost { state.age += 1 }
      if isUsable, !state.isClosed, member.age == state.age { return state.idle.append(member) }
      state.count -= 1
      if isLost {
        state.count -= state.idle.count
        state.idle = []
      }
    }
    serve()
  }
}

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

  /// Connects to PostgreSQL. Needs no thread of the concurrency pool, which other work may block.
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

  /// Connects to PostgreSQL.
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

/// Cancels the operation that runs on a connection, on the server as well.
///
/// A request to cancel goes through a connection of its own and names the server's process, not a
/// statement: it would hit whatever the process runs by then. So the connection is not used again before a
/// request that is under way has ended, and no request is sent afterwards.
/// https://www.postgresql.org/docs/current/libpq-cancel.html
final class Cancellation: Sendable {
  private struct State {
    /// The number of the operation that may be cancelled.
    var running: Int?
    var last = 0
    /// When the operation was cancelled; nil if it was not.
    var cancelledAt: ContinuousClock.Instant?
  }

  /// How long the server has to end an operation that was cancelled.
  private static let grace = Duration.seconds(1)

  private let library: PostgresLibrary
  private let state = Mutex(State())
  /// The address of what libpq sends a request with, 0 for none. It is locked for as long as a request
  /// is under way.
  private let request: Mutex<UInt>

  init(_ connection: OpaquePointer, _ library: PostgresLibrary) {
    self.library = library
    request = Mutex(UInt(bitPattern: library.functions.PQgetCancel(connection)))
  }

  deinit {
    request.withLock { library.functions.PQfreeCancel(OpaquePointer(bitPattern: $0)) }
  }

  /// Begins an operation and returns its number.
  func begin() -> Int {
    state.withLock { state in
      state.last += 1
      state.running = state.last
      state.cancelledAt = nil
      return state.last
    }
  }

  /// Ends the time in which the operation can be cancelled. Waits for a request that is under way.
  func end() {
    request.withLock { _ in state.withLock { $0.running = nil } }
  }

  /// Like `end`, for a connection that is not used again: a request that is under way, to a server that
  /// may not answer, can hit nothing else.
  func abandon() { state.withLock { $0.running = nil } }

  /// Whether the running operation was cancelled.
  var isCancelled: Bool { state.withLock { $0.cancelledAt != nil } }

  /// Whether the running operation was cancelled, and the server has not ended it in time.
  var isOverdue: Bool {
    state.withLock { state in
      guard state.running != nil, let cancelledAt = state.cancelledAt else { return false }
      return .now - cancelledAt > Self.grace
    }
  }

  /// Cancels an operation, unless it has ended. Does not wait for the server.
  func cancel(_ number: Int) {
    let isRunning = state.withLock { state in
      if state.running == number { state.cancelledAt = state.cancelledAt ?? .now }
      return state.running == number
    }
    if isRunning { DispatchQueue.global().async { self.send(number) } }
  }

  /// Asks the server to cancel the running statement, such as after its deadline.
  func sendNow() {
    if let number = state.withLock(\.running) { send(number) }
  }

  private func send(_ number: Int) {
    request.withLock { address in
      guard let pointer = OpaquePointer(bitPattern: address),
        state.withLock({ $0.running == number })
      else { return }
      // Without an answer the operation ends by its deadline.
      var message = [CChar](repeating: 0, count: 256)
      _ = library.functions.PQcancel(pointer, &message, Int32(message.count))
    }
  }
}
