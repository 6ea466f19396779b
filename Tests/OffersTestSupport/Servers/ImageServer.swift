import Foundation
import Synchronization

/// A loopback server that has an image at every path, delays each response, and counts requests.
public final class ImageServer: Sendable {
  public let port: UInt16
  private let counts: Mutex<Counts>

  private struct Counts {
    var paths: [String: Int] = [:]
    var underWay = 0
    var mostUnderWay = 0
  }

  private let pauseMicroseconds: UInt32

  public init(pauseMicroseconds: UInt32 = 2000) throws {
    let listener = try LoopbackListener()
    port = listener.port
    counts = Mutex(Counts())
    self.pauseMicroseconds = pauseMicroseconds
    Thread.detachNewThread { [weak self] in
      // Polls with a timeout, so that the thread ends with the server.
      while self != nil {
        guard let connection = listener.accept(milliseconds: 200) else { continue }
        Thread.detachNewThread { [weak self] in
          while let self, self.serve(connection) {}
          close(connection)
        }
      }
    }
  }

  public func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  /// The number of requests for each path.
  public var requests: [String: Int] { counts.withLock { $0.paths } }

  /// The highest number of concurrent requests.
  public var mostUnderWay: Int { counts.withLock { $0.mostUnderWay } }

  /// The image of a path: a PNG file of one pixel, as `TinyImage` makes it, that contains the path.
  public static func image(_ path: String) -> [UInt8] {
    TinyImage.png(width: 1, height: 1, filling: Array(path.utf8))
  }

  /// Answers one request; false if the client closes the connection, or sends nothing for five
  /// seconds.
  private func serve(_ connection: Int32) -> Bool {
    var request: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
      guard LoopbackListener.waitForInput(connection, milliseconds: 5_000) else { return false }
      let count = recv(connection, &piece, piece.count, 0)
      if count <= 0 { return false }
      request += piece.prefix(count)
    }
    let words = String(decoding: request, as: UTF8.self).split(separator: " ")
    let path = words.count > 1 ? String(words[1].dropFirst()) : ""
    counts.withLock {
      $0.paths[path, default: 0] += 1
      $0.underWay += 1
      $0.mostUnderWay = max($0.mostUnderWay, $0.underWay)
    }
    usleep(pauseMicroseconds)
    counts.withLock { $0.underWay -= 1 }
    let body = Self.image(path)
    let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(body.count)\r\n\r\n"
    return LoopbackListener.send(Array(head.utf8) + body, to: connection)
  }
}
