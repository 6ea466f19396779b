import Foundation
import Logging
import Synchronization

/// The log of refused attempts to log in, in a format that programs such as fail2ban read.
///
/// Each refused attempt gives a line with the address of its client:
/// `login refused client=192.0.2.7 status=401`. At most ten lines a second are written, one for
/// each client; the number of others is logged afterwards: `login refusals not logged count=120`.
final class LoginRefusalLog: Sendable {
  private struct State {
    var second = Int64.min
    var lineCount = 0
    var clients: Set<Peer> = []
    var leftOut = 0
  }

  private static let linesPerSecond = 10

  private let logger: Logger
  private let state = Mutex(State())

  init(_ logger: Logger) { self.logger = logger }

  /// Logs a refused attempt.
  ///
  /// - Parameters:
  ///   - client: the client's address.
  ///   - status: the status of the response: 401, 429 or 503.
  ///   - now: the time, by which the lines of a second are counted.
  func note(_ client: Peer, status: Int, at now: Date) {
    if admit(client, at: now) {
      logger.warning(
        "login refused", metadata: ["client": "\(client.text)", "status": "\(status)"])
    }
  }

  /// Whether a line may be written, which then counts as written.
  ///
  /// - Parameter client: the client that has no other line in the same second; nil for any.
  func admit(_ client: Peer? = nil, at now: Date) -> Bool {
    let second = now.storedSeconds
    return state.withLock { state in
      if state.second != second {
        state.second = second
        state.lineCount = 0
        state.clients = []
      }
      guard state.lineCount < Self.linesPerSecond,
        client.map({ state.clients.insert($0).inserted }) ?? true
      else {
        state.leftOut += 1
        return false
      }
      state.lineCount += 1
      return true
    }
  }

  /// Logs the number of attempts that were left out, if there are any.
  func noteLeftOut() {
    let count = state.withLock { state in
      defer { state.leftOut = 0 }
      return state.leftOut
    }
    if count > 0 {
      logger.warning("login refusals not logged", metadata: ["count": "\(count)"])
    }
  }
}
