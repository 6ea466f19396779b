import Hummingbird
import OffersCore
import Synchronization

/// A semaphore with a FIFO queue that limits how many responses are made concurrently.
///
/// This bounds the memory for the rows and texts that responses are made from, however many
/// requests arrive.
final class Turns: Sendable {
  private struct Waiting {
    let number: Int
    let go: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var free: Int
    var waiting: [Waiting] = []
    var lastNumber = 0
  }

  private let state: Mutex<State>
  private let waitingLimit: Int

  /// The semaphore of which the current task holds a turn.
  @TaskLocal private static var held: Turns?

  init(_ count: Int = 16, waitingLimit: Int = 1024) {
    state = Mutex(State(free: count))
    self.waitingLimit = waitingLimit
  }

  /// Waits for a turn, and holds it while the body runs.
  ///
  /// - Parameter isWaitTimed: whether the wait counts for the deadline of a read (`ResponseDeadline`).
  /// - Throws: `Problem` with status 503 if `waitingLimit` tasks wait already, `CancellationError`,
  ///   or the error of the body.
  func take<Value: Sendable>(
    isWaitTimed: Bool = true, _ body: () async throws -> Value
  ) async throws -> Value {
    if isWaitTimed {
      try await wait(isBounded: true)
    } else {
      try await ResponseDeadline.pausing { try await wait(isBounded: true) }
    }
    defer { giveBack() }
    return try await Self.$held.withValue(self) { try await body() }
  }

  /// Releases the turn of the current task while the body waits for the network or for the write
  /// lock of the database, and then waits for a turn again. A task without a turn only runs the
  /// body. The time of the body does not count for the deadline of a read (`ResponseDeadline`).
  static func leave<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    guard let held else { return try await ResponseDeadline.pausing(body) }
    held.giveBack()
    let result: Result<Value, any Error>
    do {
      result = .success(try await ResponseDeadline.pausing(body))
    } catch {
      result = .failure(error)
    }
    do {
      try await held.wait(isBounded: false)
    } catch {
      // The task did not get a turn back, but `take` will release one when its body ends. The count
      // is lowered in advance.
      held.state.withLock { $0.free -= 1 }
      throw error
    }
    return try result.get()
  }

  private func wait(isBounded: Bool) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (go: CheckedContinuation<Void, any Error>) in
        let outcome = state.withLock { state -> Result<Void, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.free > 0 {
            state.free -= 1
            return .success(())
          }
          if isBounded, state.waiting.count >= waitingLimit {
            return .failure(Problem(.tooManyAtOnce))
          }
          state.waiting.append(Waiting(number: number, go: go))
          return nil
        }
        if let outcome { go.resume(with: outcome) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      }
      waiting?.go.resume(throwing: CancellationError())
    }
  }

  private func giveBack() {
    let next = state.withLock { state -> Waiting? in
      if state.free >= 0, !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.go.resume()
  }

  /// The number of waiting tasks.
  var waitingCount: Int { state.withLock { $0.waiting.count } }
}
