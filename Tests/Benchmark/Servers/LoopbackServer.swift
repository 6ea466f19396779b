import Foundation
import Synchronization

/// HTTP servers on loopback addresses with a fixed latency and persistent connections.
final class LoopbackServer: Sendable {
  /// A document to serve.
  struct Document: Sendable {
    let body: [UInt8]
    /// The entity tag, with its quotes. A request that contains it is answered with 304 Not
    /// Modified. Nil to send no validator.
    let etag: String?
  }

  let port: UInt16
  private let latencyMicroseconds: UInt32
  private let documents: Mutex<[String: Document]>
  private let counts = Mutex<(requests: Int, connections: Int, notModified: Int)>((0, 0, 0))

  /// - Parameter hostCount: the number of addresses to listen on, from 127.0.0.2 upwards.
  init(hostCount: Int, latencyMilliseconds: UInt32, documents: [String: Document]) throws {
    latencyMicroseconds = latencyMilliseconds * 1000
    self.documents = Mutex(documents)
    var chosen: UInt16 = 0
    var listeners: [Int32] = []
    for host in 0..<hostCount {
      let (listener, bound) = try Self.listen(Self.address(host), chosen)
      listeners.append(listener)
      chosen = bound
    }
    port = chosen
    for listener in listeners {
      Thread.detachNewThread { [self] in
        while case let connection = accept(listener, nil, nil), connection >= 0 {
          counts.withLock { $0.connections += 1 }
          Thread.detachNewThread { self.serve(connection) }
        }
      }
    }
  }

  func url(host: Int, _ path: String) -> String { "http://127.0.0.\(host + 2):\(port)\(path)" }

  /// Returns and resets the counts of requests, connections and 304 responses.
  func takeCounts() -> (requests: Int, connections: Int, notModified: Int) {
    counts.withLock { counts in
      defer { counts = (0, 0, 0) }
      return counts
    }
  }

  func setDocument(_ document: Document, at path: String) {
    documents.withLock { $0[path] = document }
  }

  private static func address(_ host: Int) -> UInt32 { 0x7F00_0002 + UInt32(host) }

  private static func listen(_ host: UInt32, _ port: UInt16) throws -> (Int32, UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = host.bigEndian
    address.sin_port = port.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(listener, name, length) == 0 && Glibc.listen(listener, 64) == 0
          && getsockname(listener, name, &length) == 0
      }
    }
    guard isOpen else { throw BenchmarkError(description: "Could not listen on loopback.") }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    var buffer = [UInt8](repeating: 0, count: 8192)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return }
      let request = String(decoding: buffer[..<count], as: UTF8.self)
      if latencyMicroseconds > 0 { usleep(latencyMicroseconds) }
      guard respond(to: request, connection) else { return }
    }
  }

  private func respond(to request: String, _ connection: Int32) -> Bool {
    let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    let document = documents.withLock { $0[path] }
    let isKnown = document?.etag.map { request.contains($0) } ?? false
    counts.withLock {
      $0.requests += 1
      if isKnown { $0.notModified += 1 }
    }
    let tag = document?.etag.map { "ETag: \($0)\r\n" } ?? ""
    let body = isKnown ? [] : document?.body ?? []
    let status = isKnown ? "304 Not Modified" : document == nil ? "404 Not Found" : "200 OK"
    let length = isKnown ? "" : "Content-Length: \(body.count)\r\n"
    let head = Array("HTTP/1.1 \(status)\r\n\(tag)\(length)\r\n".utf8)
    return put(head, connection) && put(body, connection)
  }

  private func put(_ bytes: [UInt8], _ connection: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = send(connection, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }
}
