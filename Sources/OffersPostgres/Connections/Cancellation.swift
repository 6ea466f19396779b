import Dispatch
import OffersCore
import PostgresShim
import Synchronization

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
