import Foundation
import OffersTestSupport
import Synchronization

/// A loopback server that answers one request with a body of a given size, as fast as its client takes
/// it or piece by piece, and tells how far it has come. With a size of 0 it never answers.
final class FloodServer: Sendable {
  private struct State {
    var isAsked = false
    var isClosed = false
    var sentBytes = 0
  }

  private final class Progress: Sendable {
    let state = Mutex(State())
  }

  let url: String
  private let progress = Progress()

  /// - Parameters:
  ///   - bytes: the size of the body.
  ///   - pieceBytes: the size of the pieces in which it is sent.
  ///   - pauseMicroseconds: how long the server waits after each piece.
  init(bytes: Int, pieceBytes: Int = 64 << 10, pauseMicroseconds: UInt32 = 0) throws {
    let listener = try LoopbackListener()
    url = "http://127.0.0.1:\(listener.port)/"
    let progress = progress
    Thread.detachNewThread {
      guard let connection = listener.accept(milliseconds: LoopbackListener.patience) else {
        return
      }
      defer {
        close(connection)
        progress.state.withLock { $0.isClosed = true }
      }
      let piece = [UInt8](repeating: 97, count: pieceBytes)
      Self.serve(connection, bytes, by: piece, pauseMicroseconds, progress)
    }
  }

  private static func serve(
    _ connection: Int32, _ bytes: Int, by piece: [UInt8], _ pauseMicroseconds: UInt32,
    _ progress: Progress
  ) {
    var request = [UInt8](repeating: 0, count: 4096)
    guard LoopbackListener.waitForInput(connection, milliseconds: LoopbackListener.patience),
      recv(connection, &request, request.count, 0) > 0
    else { return }
    progress.state.withLock { $0.isAsked = true }
    if bytes > 0 {
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(bytes)\r\n\r\n"
      guard LoopbackListener.send(Array(head.utf8), to: connection) else { return }
      for _ in 0..<(bytes / piece.count) {
        guard LoopbackListener.send(piece, to: connection) else { return }
        progress.state.withLock { $0.sentBytes += piece.count }
        if pauseMicroseconds > 0 { usleep(pauseMicroseconds) }
      }
    }
    // Waits until the client closes the connection.
    _ = LoopbackListener.waitForInput(connection, milliseconds: LoopbackListener.patience)
  }

  /// Waits until the server has sent nothing for a while.
  ///
  /// - Returns: the bytes that it has sent.
  func waitUntilHeld() async throws -> Int {
    var last = -1
    while true {
      let sent = progress.state.withLock { $0.sentBytes }
      if sent == last, sent > 0 { return sent }
      last = sent
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  func waitUntilAsked() async throws { try await wait { $0.isAsked } }

  func waitUntilClosed() async throws { try await wait { $0.isClosed } }

  private func wait(until isDone: (borrowing State) -> Bool) async throws {
    while !progress.state.withLock({ isDone($0) }) {
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
