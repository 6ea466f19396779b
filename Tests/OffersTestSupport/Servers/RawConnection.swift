import Foundation

/// A TCP connection to a port of this machine, which sends bytes exactly as given, valid HTTP or
/// not.
package struct RawConnection: Sendable {
  private let handle: FileHandle

  package struct Failure: Error {
    package let number: Int32
  }

  /// - Parameter receivedBytes: the size of the receive buffer (`SO_RCVBUF`); nil for the default.
  package init(port: Int, receivedBytes: Int32? = nil) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var receivedBytes {
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVBUF, &receivedBytes, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let error = errno
    // The server closes idle connections after a minute. The shorter timeout of a receive tells a
    // server that does not respond from one that closes the connection.
    var patience = timeval(tv_sec: 45, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    if code != 0 { throw Failure(number: error) }
  }

  /// Sends a text, and ignores failures: after the server has closed the connection, its response
  /// can still be received.
  package func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Foundation.send(
      handle.fileDescriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  package func exchange(
    _ text: String, until enough: @escaping @Sendable (String) -> Bool = { _ in false }
  ) async throws -> String {
    send(text)
    return try await receive(until: enough)
  }

  /// Receives, on a thread that may block, until the server closes the connection, or `enough` is
  /// true for the text that has arrived so far.
  ///
  /// - Throws: `Failure` after 45 seconds without data.
  package func receive(
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
  /// Sends a text again and again, until `bytes` are sent, the server closes the connection, or it
  /// takes no data for 0.3 seconds and `isBusy` is false.
  ///
  /// - Parameter isBusy: whether the server has done any work since the last call; called each time
  ///   that the server has taken no data for 0.3 seconds.
  package func flood(
    _ text: String, bytes: Int, while isBusy: @escaping @Sendable () -> Bool
  ) async {
    let descriptor = handle.fileDescriptor
    defer { withExtendedLifetime(handle) {} }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var patience = timeval(tv_sec: 0, tv_usec: 300_000)
        setsockopt(
          descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let pattern = Array(text.utf8)
        let block = Array(repeatElement(pattern, count: max(1, 65_536 / pattern.count)).joined())
        var sent = 0
        while sent < bytes {
          let count = block[(sent % block.count)...].withUnsafeBytes {
            Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          if count > 0 { sent += count } else if errno != EAGAIN || !isBusy() { break }
        }
        continuation.resume()
      }
    }
  }

  /// Shuts down the sending side of the connection (a TCP FIN).
  package func closeSending() { shutdown(handle.fileDescriptor, Int32(SHUT_WR)) }

  /// Whether the server has closed or reset the connection, and no data of it is left to receive.
  /// The call receives nothing.
  package var isClosedByServer: Bool {
    var byte: UInt8 = 0
    let count = recv(handle.fileDescriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
    return count == 0 || count < 0 && errno != EAGAIN
  }

  /// The `errno` of an attempt to send one more byte; 0 if it is sent, or the send buffer is full.
  package var sendFailure: Int32 {
    var byte: UInt8 = 0x47
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    let count = Foundation.send(handle.fileDescriptor, &byte, 1, flags)
    return count < 0 && errno != EAGAIN ? errno : 0
  }
}
