import Foundation

/// A socket that listens on a free loopback port.
package final class LoopbackListener: Sendable {
  /// The timeout of a wait for a connection or a request, in milliseconds. It is long, because on a
  /// busy machine a test that has begun can be suspended for minutes.
  package static let patience: Int32 = 900_000

  package let port: UInt16
  private let descriptor: Int32

  package init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(listener, name, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, name, &length) == 0
      }
    }
    guard isOpen else { throw CocoaError(.fileReadUnknown) }
    port = UInt16(bigEndian: address.sin_port)
    descriptor = listener
  }

  deinit { close(descriptor) }

  /// The next connection, which the caller closes; nil after the timeout.
  package func accept(milliseconds: Int32) -> Int32? {
    guard Self.waitForInput(descriptor, milliseconds: milliseconds) else { return nil }
    let connection = Glibc.accept(descriptor, nil, nil)
    return connection >= 0 ? connection : nil
  }

  /// Whether a socket became readable before the timeout: data, a connection to accept, or the end.
  package static func waitForInput(_ descriptor: Int32, milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  /// Sends all bytes; false if that fails, such as on a closed connection.
  package static func send(_ bytes: some Collection<UInt8>, to connection: Int32) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
