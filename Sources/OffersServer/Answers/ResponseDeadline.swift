import HTTPTypes
import Hummingbird
import OffersCore
import Synchronization

/// The time in which the server makes the response to a read, such as a page or an answer of the API.
///
/// The read is cancelled, and its statement interrupted in the store, when the time has passed, when the
/// client closes the connection, and when the server stops: so no read occupies a connection of the store
/// for longer, whatever the store holds and whoever asks. What is sent after the head, such as a stream of
/// events, has no deadline, and ends with its connection.
final class ResponseDeadline: Sendable {
  /// The time for a page or an answer of the API.
  static let usual = Duration.seconds(5)
  /// The seconds after which a client may try again.
  private static let retrySeconds = 10

  private struct State {
    /// The time that is left when the clock starts again.
    var left: Duration
    /// When the clock was started; nil while it stands still.
    var since: ContinuousClock.Instant?
    var timer: Task<Void, Never>?
    /// The number of bodies for which the clock stands still, one within another.
    var pauseCount = 0
    var hasPassed = false
    var isClientGone = false
    var isEnded = false
  }

  private let limit: Duration
  private let state: Mutex<State>
  /// Cancels the read.
  private let cancel = Mutex<(@Sendable () -> Void)?>(nil)

  /// The deadline of the read that the current task makes.
  @TaskLocal private static var current: ResponseDeadline?

  private init(_ limit: Duration) {
    self.limit = limit
    state = Mutex(State(left: limit))
  }

  /// Makes a response within a time.
  ///
  /// - Parameters:
  ///   - limit: the time.
  ///   - whenClosed: calls a closure if the client closes the connection, which cancels the read.
  ///   - body: makes the response.
  /// - Throws: `Problem` with status 503 if the time has passed, or the error of the body.
  static func run(
    within limit: Duration, whenClosed: (@escaping @Sendable () -> Void) -> Void,
    _ body: @escaping @Sendable () async throws -> Response
  ) async throws -> Response {
    let deadline = ResponseDeadline(limit)
    let read = $current.withValue(deadline) { Task { try await body() } }
    deadline.cancel.withLock { $0 = { read.cancel() } }
    whenClosed {
      deadline.state.withLock { $0.isClientGone = true }
      read.cancel()
    }
    deadline.start()
    defer { deadline.end() }
    do {
      return try await withTaskCancellationHandler {
        try await read.value
      } onCancel: {
        read.cancel()
      }
    } catch {
      let state = deadline.state.withLock { ($0.hasPassed, $0.isClientGone) }
      if state.0 { throw deadline.refusal }
      if state.1, error is CancellationError { throw Self.clientIsGone }
      throw error
    }
  }

  /// Runs a body that waits for the network or for the write lock of the database, which have limits of
  /// their own. That time does not count.
  static func pausing<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    guard let current else { return try await body() }
    current.pause()
    defer { current.resume() }
    return try await body()
  }

  private func start() {
    state.withLock { state in
      if state.isEnded || state.pauseCount > 0 || state.since != nil { return }
      state.since = .now
      let left = state.left
      state.timer = Task { [weak self] in
        // The only error is the cancellation when the clock is stopped.
        guard (try? await Task.sleep(for: left)) != nil else { return }
        self?.pass()
      }
    }
  }

  private func pause() {
    state.withLock { state in
      state.pauseCount += 1
      guard let since = state.since else { return }
      state.left = max(.zero, state.left - (.now - since))
      state.since = nil
      state.timer?.cancel()
    }
  }

  private func resume() {
    state.withLock { $0.pauseCount -= 1 }
    start()
  }

  private func pass() {
    let isPassed = state.withLock { state in
      if state.since == nil || state.isEnded { return false }
      state.hasPassed = true
      return true
    }
    if isPassed { cancel.withLock { $0 }?() }
  }

  private func end() {
    state.withLock { state in
      state.isEnded = true
      state.timer?.cancel()
    }
  }

  /// The answer to a client that has closed its sending side only, which looks as if it had gone.
  private static let clientIsGone = Problem(
    .serviceUnavailable, "The connection was closed before the answer was made.",
    hint: "Keep both sides of the connection open until the answer has arrived.",
    code: .sourceFailed)

  private var refusal: Problem {
    var problem = Problem(
      .serviceUnavailable,
      "The answer would have taken longer than \(limit.components.seconds) seconds.",
      hint:
        "Try again in a moment: the server may be busy. A list of one feed, a smaller page or a "
        + "search for fewer words takes less time.",
      code: .limitExceeded)
    problem.headers[.retryAfter] = String(Self.retrySeconds)
    return problem
  }
}
