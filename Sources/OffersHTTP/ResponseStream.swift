import OffersSync
import Synchronization

/// A response on its way from the thread that receives it to the task that reads it.
///
/// The sender waits while `mostBytes` or more are unread, so the memory of a response is bounded.
final class ResponseStream: Sendable {
  /// The number of unread bytes at which the sender is made to wait.
  static let mostBytes = 128 << 10
  /// The number of unread bytes below which the sender goes on.
  private static let leastBytes = 32 << 10

  struct Head: Sendable {
    var status = 0
    var reason = ""
    var headers: [HeaderField] = []
  }

  private struct State {
    var headReader: CheckedContinuation<Head, any Error>?
    var bodyReader: CheckedContinuation<[UInt8]?, any Error>?
    var pieces: [[UInt8]] = []
    var unreadBytes = 0
    var isSenderWaiting = false
    /// How the transfer ended; nil as long as it goes on.
    var end: Result<Void, any Error>?
  }

  private let state = Mutex(State())

  /// The number of bytes that were passed on and not read yet.
  var unreadBytes: Int { state.withLock { $0.unreadBytes } }

  // MARK: The reader's side

  /// Waits for the head of the response.
  func fetchHead(_ start: () -> Void) async throws -> Head {
    try await withCheckedThrowingContinuation { reader in
      let end = state.withLock { state in
        if state.end == nil { state.headReader = reader }
        return state.end
      }
      if case .failure(let error)? = end { return reader.resume(throwing: error) }
      start()
    }
  }

  /// Waits for the next piece of the body.
  ///
  /// - Parameter resume: called if the sender waits and may go on.
  /// - Returns: a nonempty piece; nil at the end.
  func nextPiece(_ resume: () -> Void) async throws -> [UInt8]? {
    try await withCheckedThrowingContinuation { reader in
      var maySend = false
      let answer: Result<[UInt8]?, any Error>? = state.withLock { state in
        if let piece = state.pieces.first {
          state.pieces.removeFirst()
          state.unreadBytes -= piece.count
          maySend = state.isSenderWaiting && state.unreadBytes < Self.leastBytes
          if maySend { state.isSenderWaiting = false }
          return .success(piece)
        }
        if let end = state.end { return end.map { nil } }
        state.bodyReader = reader
        return nil
      }
      if maySend { resume() }
      if let answer { reader.resume(with: answer) }
    }
  }

  // MARK: The sender's side

  /// Passes the head on.
  func accept(_ head: Head) {
    let reader = state.withLock { state in
      defer { state.headReader = nil }
      return state.headReader
    }
    reader?.resume(returning: head)
  }

  /// Passes a nonempty piece of the body on.
  func accept(_ piece: [UInt8]) {
    let reader = state.withLock { state in
      if let reader = state.bodyReader {
        state.bodyReader = nil
        return reader as CheckedContinuation<[UInt8]?, any Error>?
      }
      if state.end == nil {
        state.pieces.append(piece)
        state.unreadBytes += piece.count
      }
      return nil
    }
    reader?.resume(returning: piece)
  }

  /// Whether the sender must wait before it passes on more bytes. If so, the reader resumes it.
  func holdsSender() -> Bool {
    state.withLock { state in
      state.isSenderWaiting = state.unreadBytes >= Self.mostBytes
      return state.isSenderWaiting
    }
  }

  /// Ends the transfer, for the first time only.
  ///
  /// - Parameter end: the error, if it failed or was cancelled. Unread pieces of a failed transfer are
  ///   read before the error.
  func finish(_ end: Result<Void, any Error>) {
    let readers = state.withLock { state in
      if state.end == nil { state.end = end }
      defer {
        state.headReader = nil
        state.bodyReader = nil
      }
      return (state.headReader, state.bodyReader)
    }
    switch end {
    case .success:
      // A response that ends has had a head.
      readers.0?.resume(throwing: TransportFailure(.closedEarly))
      readers.1?.resume(returning: nil)
    case .failure(let error):
      readers.0?.resume(throwing: error)
      readers.1?.resume(throwing: error)
    }
  }
}
