import Foundation

/// The socket of a service manager, such as systemd, to which a service reports its state
/// (https://www.freedesktop.org/software/systemd/man/252/sd_notify.html).
///
/// Each report is one datagram of assignments, such as `READY=1`.
package struct NotifySocket: Hashable, Sendable {
  /// The path of the socket. In the abstract namespace of Linux, its first byte is 0.
  private let path: [UInt8]

  /// - Parameter name: the value of `NOTIFY_SOCKET`: an absolute path, or an abstract name after `@`.
  /// - Returns: nil for any other text.
  package init?(_ name: String) {
    guard name.utf8.count > 1, !name.utf8.contains(0), name.hasPrefix("/") || name.hasPrefix("@")
    else { return nil }
    path = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
  }

  /// Sends a report without waiting: a service manager that does not read its socket must not stop
  /// the service.
  ///
  /// - Throws: `SystemError`, with `ENAMETOOLONG` for a path that is too long for a socket.
  package func send(_ report: String) throws(SystemError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // A path, unlike an abstract name, needs a byte 0 at its end.
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw SystemError(ENAMETOOLONG, "sendto")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { throw .last("socket") }
    defer { close(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let isAbstract = path.first == 0
    let length = socklen_t(start + path.count + (isAbstract ? 0 : 1))
    let bytes = Array(report.utf8)
    let count = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT), $0, length)
      }
    }
    guard count == bytes.count else { throw .last("sendto") }
  }
}
