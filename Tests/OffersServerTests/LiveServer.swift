import Foundation
import OffersTestSupport

@testable import OffersServer

/// A server on a loopback port, for tests of the connection itself.
struct LiveServer: Sendable {
  let port: Int

  /// Runs a server until the body has finished, and returns its result.
  static func run<Value: Sendable>(
    _ server: OffersServer, times: ConnectionLimits.Times = ConnectionLimits.Times(),
    _ body: @escaping @Sendable (LiveServer) async throws -> Value
  ) async throws -> Value {
    let (ports, ready) = AsyncStream.makeStream(of: Int.self)
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask {
        // The only error is the cancellation that follows the end of the body.
        try? await server.run(times, handlesSignals: false) { ready.yield($0) }
        return nil
      }
      group.addTask {
        for await port in ports { return try await body(LiveServer(port: port)) }
        return nil
      }
      while let value = try await group.next() {
        guard let value else { continue }
        group.cancelAll()
        return value
      }
      throw CancellationError()
    }
  }

  /// The `Host` field that names the server.
  var host: String { "Host: 127.0.0.1:\(port)\r\n" }

  /// Sends a text over a new connection, and returns everything that is received until the server
  /// closes it.
  ///
  /// - Parameter enough: whether the text that was received so far suffices.
  func exchange(
    _ text: String, until enough: @escaping @Sendable (String) -> Bool = { _ in false }
  ) async throws -> String {
    let connection = try RawConnection(port: port)
    return try await connection.exchange(text, until: enough)
  }
}

/// A connection that says exactly what it is told to.
struct RawConnection: Sendable {
  fileprivate let handle: FileHandle

  struct Failure: Error {
    let number: Int32
  }

  init(port: Int) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    if code != 0 { throw Failure(number: errno) }
  }

  /// Sends bytes. A server that has closed already is no failure: its answer is still read.
  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Foundation.send(
      handle.fileDescriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  func exchange(
    _ text: String, until enough: @escaping @Sendable (String) -> Bool = { _ in false }
  ) async throws -> String {
    send(text)
    return try await receive(until: enough)
  }

  /// What comes until the server closes, on a thread that may wait.
  func receive(
    until enough: @escaping @Sendable (String) -> Bool = { _ in false }
  ) async throws -> String {
    let descriptor = handle.fileDescriptor
    defer { withExtendedLifetime(handle) {} }
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
          let count = recv(descriptor, &buffer, buffer.count, 0)
          if count < 0, errno != ECONNRESET {
            return continuation.resume(throwing: Failure(number: errno))
          }
          all += buffer.prefix(max(0, count))
          let text = String(decoding: all, as: UTF8.self)
          if count <= 0 || enough(text) { return continuation.resume(returning: text) }
        }
      }
    }
  }
}

extension RawConnection {
  /// What keeps one more byte from being sent; 0 for nothing, or when there is no room.
  var sendFailure: Int32 {
    var byte: UInt8 = 0x47
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    let count = Foundation.send(handle.fileDescriptor, &byte, 1, flags)
    return count < 0 && errno != EAGAIN ? errno : 0
  }
}
