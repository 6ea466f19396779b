import Synchronization

/// Limits how many calls run at once, in total and for each key, such as a host, a feed, a user or a network.
///
/// The calls that wait get their turns key by key, so that a key with many calls does not keep back the others.
/// Where too many wait, the last call of the key with the most gives way to one of a key with fewer.
package final class FairTurns<Key: Hashable & Sendable>: Sendable {
  private typealias Continuation = CheckedContinuation<Void, any Error>

  private struct Waiting {
    let number: Int
    let key: Key
    /// The round in which the call gets its turn. A key has one call in each.
    let round: Int
    let turn: Continuation
  }

  private struct State {
    var running: [Key: Int] = [:]
    var runningCount = 0
    /// In the order of their rounds, and within a round in that of their arrival.
    var waiting: [Waiting] = []
    /// The round of the call that was the last to get its turn after a wait.
    var round = 0
    var lastNumber = 0
  }

  private let limit: Int
  private let keyLimit: Int
  private let waitingLimit: Int
  private let keyWaitingLimit: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - limit: the number of calls that run at once.
  ///   - keyLimit: the number of these for one key.
  ///   - waitingLimit: the number of calls that may wait.
  ///   - keyWaitingLimit: the number of these for one key.
  package init(
    limit: Int, keyLimit: Int, waitingLimit: Int = .max, keyWaitingLimit: Int = .max
  ) {
    self.limit = limit
    self.keyLimit = keyLimit
    self.waitingLimit = waitingLimit
    self.keyWaitingLimit = keyWaitingLimit
  }

  /// Waits for a turn, and holds it while the body runs.
  ///
  /// - Throws: `OffersError.tooManyAtOnce` if too many wait; `CancellationError` if the caller is cancelled
  ///   while it waits; the error of the body.
  package func run<Result: Sendable>(
    for key: Key, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { enter(key, number, $0) }
    } onCancel: {
      let waiting = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      }
      waiting?.turn.resume(throwing: CancellationError())
    }
    defer { end(key) }
    return try await body()
  }

  /// The number of calls that wait.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Gives a call its turn, has it wait, or refuses it or another one in its place.
  private func enter(_ key: Key, _ number: Int, _ turn: Continuation) {
    let (ended, error) = state.withLock { state -> (Continuation?, (any Error)?) in
      if Task.isCancelled { return (turn, CancellationError()) }
      if mayStart(key, state) {
        start(key, in: &state)
        return (turn, nil)
      }
      if state.waiting.count >= keyWaitingLimit,
        state.waiting.count(where: { $0.key == key }) >= keyWaitingLimit
      {
        return (turn, OffersError.tooManyAtOnce)
      }
      let round = (state.waiting.last { $0.key == key }?.round ?? state.round) + 1
      var displaced: Continuation?
      if state.waiting.count >= waitingLimit {
        guard let last = state.waiting.last, last.round > round else {
          return (turn, OffersError.tooManyAtOnce)
        }
        state.waiting.removeLast()
        displaced = last.turn
      }
      // From the end, where the place is if one key has all the calls.
      let place = (state.waiting.lastIndex { $0.round <= round } ?? -1) + 1
      state.waiting.insert(
        Waiting(number: number, key: key, round: round, turn: turn), at: place)
      return (displaced, OffersError.tooManyAtOnce)
    }
    if let error { ended?.resume(throwing: error) } else { ended?.resume() }
  }

  private func mayStart(_ key: Key, _ state: State) -> Bool {
    state.runningCount < limit && state.running[key, default: 0] < keyLimit
  }

  private func start(_ key: Key, in state: inout State) {
    state.runningCount += 1
    state.running[key, default: 0] += 1
  }

  private func end(_ key: Key) {
    let turns = state.withLock { state in
      state.runningCount -= 1
      let left = state.running[key, default: 1] - 1
      state.running[key] = left > 0 ? left : nil
      var turns: [Continuation] = []
      while let next = state.waiting.firstIndex(where: { mayStart($0.key, state) }) {
        let waiting = state.waiting.remove(at: next)
        start(waiting.key, in: &state)
        state.round = max(state.round, waiting.round)
        turns.append(waiting.turn)
      }
      return turns
    }
    for turn in turns { turn.resume() }
  }
}

extension OffersError {
  /// The refusal of a call while too many wait for their turns.
  package static let tooManyAtOnce = OffersError(
    .limitExceeded, "Too many requests at once.", hint: "Try again in a moment.")
}
