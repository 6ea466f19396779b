import Foundation
import Synchronization

/// A loopback server whose document changes every few requests. It gives each version an entity
/// tag, and answers 304 to requests with the current one.
public final class ChangingServer: Sendable {
  /// How a document is sent.
  public enum Pace: Sendable, CaseIterable {
    case atOnce
    /// In chunks, with a pause before each.
    case dripping
  }

  public let port: UInt16
  private let state: Mutex<State>

  private struct State {
    let make: @Sendable (Int) -> String
    let requestsPerVersion: Int
    var version = 0
    var requestsLeft: Int
    var isChanging = true
    var paces: [Pace] = [.atOnce]
    var statuses: [Int] = []
  }

  /// The pause before each chunk of a dripping document.
  private static let pauseMicroseconds: UInt32 = 6_000
  private static let pieceCount = 8

  /// - Parameters:
  ///   - requestsPerVersion: the number of requests after which the document changes.
  ///   - document: makes a version, counted from 0.
  public init(requestsPerVersion: Int, document: @escaping @Sendable (Int) -> String) throws {
    let listener = try LoopbackListener()
    port = listener.port
    state = Mutex(
      State(
        make: document, requestsPerVersion: requestsPerVersion, requestsLeft: requestsPerVersion))
    Thread.detachNewThread { [weak self] in
      // Polls with a timeout, so that the thread ends with the server.
      while self != nil {
        guard let connection = listener.accept(milliseconds: 200) else { continue }
        Thread.detachNewThread { [weak self] in
          self?.serve(connection)
          close(connection)
        }
      }
    }
  }

  public var url: String { "http://127.0.0.1:\(port)/offers.json" }

  /// The current version, counted from 0.
  public var version: Int { state.withLock { $0.version } }

  /// The statuses of all responses so far, in order.
  public var statuses: [Int] { state.withLock { $0.statuses } }

  /// Sets whether the document continues to change.
  public func setChanging(_ isChanging: Bool) { state.withLock { $0.isChanging = isChanging } }

  /// Sets how documents are sent: in these paces in turn, over and over.
  public func setPaces(_ paces: [Pace]) { state.withLock { $0.paces = paces } }

  public static func etag(_ version: Int) -> String { "\"v\(version)\"" }

  private func serve(_ connection: Int32) {
    var request: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
      guard LoopbackListener.waitForInput(connection, milliseconds: 10_000) else { return }
      let count = recv(connection, &piece, piece.count, 0)
      if count <= 0 { return }
      request += piece.prefix(count)
    }
    let text = String(decoding: request, as: UTF8.self).lowercased()
    let (head, body, pace) = answer(text)
    guard LoopbackListener.send(head.utf8, to: connection) else { return }
    if pace == .atOnce {
      _ = LoopbackListener.send(body, to: connection)
      return
    }
    let size = body.count / Self.pieceCount + 1
    for start in stride(from: 0, to: body.count, by: size) {
      usleep(Self.pauseMicroseconds)
      guard LoopbackListener.send(body[start...].prefix(size), to: connection) else { return }
    }
  }

  private func answer(_ request: String) -> (head: String, body: [UInt8], Pace) {
    state.withLock { state in
      if state.isChanging {
        if state.requestsLeft == 0 {
          state.version += 1
          state.requestsLeft = state.requestsPerVersion
        }
        state.requestsLeft -= 1
      }
      let etag = Self.etag(state.version)
      let pace = state.paces[state.statuses.count % state.paces.count]
      let isKnown = request.contains("if-none-match: \(etag)\r\n")
      let body = isKnown ? [] : Array(state.make(state.version).utf8)
      state.statuses.append(isKnown ? 304 : 200)
      let lines = [
        "HTTP/1.1 \(isKnown ? "304 Not Modified" : "200 OK")", "ETag: \(etag)",
        "Connection: close", "Content-Length: \(body.count)",
      ]
      return (lines.joined(separator: "\r\n") + "\r\n\r\n", body, pace)
    }
  }
}
