import Foundation
import Synchronization

/// A loopback server that answers each connection by a script, and stops at the script's end.
public final class ScriptedServer: Sendable {
  /// The handling of one connection.
  public enum Step: Sendable {
    /// Reads the request, sends these bytes and closes.
    case send([UInt8])
    /// Reads the request, sends the bytes `after` as a head, then the others up to 200 times, each
    /// time with a pause, until the client disconnects.
    case drip([UInt8], after: [UInt8] = [], pauseMilliseconds: UInt32)
    /// Reads the request, and sends nothing until the client disconnects or sends more.
    case silence
    /// Runs these steps in turn on one connection.
    case inTurn([Step])
    /// Reads the request, and does what a closure decides about it.
    case byRequest(@Sendable (_ request: String) -> Step)
    /// Reads the request, sends this text and resets the connection.
    case reset(after: String)

    /// A complete response with `Connection: close`.
    public static func answer(_ status: String, _ headers: [String] = [], _ body: String) -> Step {
      let lines =
        ["HTTP/1.1 \(status)"] + headers
        + ["Connection: close", "Content-Length: \(body.utf8.count)"]
      return .send(Array("\(lines.joined(separator: "\r\n"))\r\n\r\n\(body)".utf8))
    }

    public static func text(_ text: String) -> Step { .send(Array(text.utf8)) }
  }

  public let port: UInt16
  private let received = Received()

  /// The requests received so far, in order, each as the text of one read of at most 4096 bytes.
  public var requests: [String] { received.all.withLock { $0 } }

  private final class Received: Sendable {
    let all = Mutex<[String]>([])
  }

  /// The address of a path on this server.
  public func url(_ path: String = "/offers.json") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Starts to listen. Each connection uses up one step.
  public init(_ steps: [Step]) throws {
    let listener = try LoopbackListener()
    port = listener.port
    let received = received
    Thread.detachNewThread {
      for step in steps {
        // A client that has not connected within this time will not connect at all.
        guard let connection = listener.accept(milliseconds: LoopbackListener.patience) else {
          break
        }
        Self.serve(connection, step, received)
      }
    }
  }

  private static func serve(_ connection: Int32, _ step: Step, _ received: Received) {
    defer { close(connection) }
    if case .inTurn(let steps) = step {
      for step in steps { perform(step, connection, received) }
    } else {
      perform(step, connection, received)
    }
  }

  private static func perform(_ step: Step, _ connection: Int32, _ received: Received) {
    var request = [UInt8](repeating: 0, count: 4096)
    guard LoopbackListener.waitForInput(connection, milliseconds: LoopbackListener.patience) else {
      return
    }
    let count = recv(connection, &request, request.count, 0)
    // The client has closed the connection.
    if count <= 0 { return }
    let text = String(decoding: request.prefix(count), as: UTF8.self)
    received.all.withLock { $0.append(text) }
    var step = step
    if case .byRequest(let choose) = step { step = choose(text) }
    func put(_ bytes: [UInt8]) -> Bool {
      LoopbackListener.send(bytes, to: connection)
    }
    switch step {
    case .send(let bytes):
      _ = put(bytes)
    case .drip(let bytes, let head, let pause):
      guard put(head) else { return }
      for _ in 0..<200 {
        guard put(bytes) else { return }
        usleep(pause * 1000)
      }
    case .inTurn, .byRequest:
      break
    case .silence:
      _ = LoopbackListener.waitForInput(connection, milliseconds: LoopbackListener.patience)
    case .reset(let text):
      _ = put(Array(text.utf8))
      // A reset discards bytes in flight, so those sent must arrive first.
      usleep(50_000)
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
  }
}
