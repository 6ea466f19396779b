import Foundation

/// A Unix datagram socket that receives reports, as a service manager's does.
package final class DatagramListener: Sendable {
  private let descriptor: Int32

  /// - Parameter name: an absolute path, or a name in Linux's abstract namespace after `@`.
  package init(_ name: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let path: [UInt8] = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw CocoaError(.fileWriteInvalidFileName)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let length = socklen_t(
      MemoryLayout<sa_family_t>.size + path.count + (name.hasPrefix("@") ? 0 : 1))
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard code == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  deinit { close(descriptor) }

  /// Waits for the next report; nil if none comes within the time, or without one in a long time.
  package func receive(milliseconds: Int32? = nil) -> String? {
    let patience = milliseconds ?? LoopbackListener.patience
    guard LoopbackListener.waitForInput(descriptor, milliseconds: patience) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
