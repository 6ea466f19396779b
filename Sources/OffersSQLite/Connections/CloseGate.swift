import OffersCore
import Synchronization

/// Counts the operations under way on a database, so that closing waits for them and later ones are
/// refused.
final class CloseGate: Sendable {
  private struct State {
    var operationCount = 0
    var isClosed = false
    /// Resumed when the last operation has ended.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let file: DatabaseFile

  init(_ file: DatabaseFile) { self.file = file }

  /// - Throws: `OffersError` with `invalidRequest` if the gate is closed.
  func check() throws {
    if state.withLock({ $0.isClosed }) { throw file.closedError }
  }

  /// Runs an operation that suspends nowhere.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if the gate is closed.
  func passAtOnce<Result>(_ operation: () throws -> Result) throws -> Result {
    try enter()
    defer { leave() }
    return try operation()
  }

  /// Runs an operation.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if the gate is closed.
  func pass<Result>(_ operation: () async throws -> Result) async throws -> Result {
    try enter()
    defer { leave() }
    return try await operation()
  }

  /// Refuses further operations, and waits for those under way.
  func close() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.isClosed = true
        if state.operationCount > 0 { state.waiting.append(continuation) }
        return state.operationCount == 0
      }
      if isIdle { continuation.resume() }
    }
  }

  private func enter() throws {
    try state.withLock { state in
      if state.isClosed { throw file.closedError }
      state.operationCount += 1
    }
  }

  private func leave() {
    let waiting = state.withLock { state in
      state.operationCount -= 1
      guard state.operationCount == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
