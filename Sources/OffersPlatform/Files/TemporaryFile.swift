#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// An unnamed temporary file, written sequentially and read from any offset. Its space is freed
/// when it is released or the process ends.
package final class TemporaryFile: Sendable {
  private let descriptor: Int32

  /// - Parameter folder: an existing folder, whose file system holds the file.
  package init(folder: String) throws(SystemError) {
    let number = String(UInt64.random(in: .min ... .max), radix: 36)
    let path = "\(folder)/offers-spool-\(number)"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .last("open") }
    // Unlinked at once: no other process can open it, and a crash leaves nothing behind.
    unlink(path)
  }

  deinit { close(descriptor) }

  /// Appends bytes: all of them or, on an error, none.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    let end = lseek(descriptor, 0, SEEK_CUR)
    do {
      try FileBytes.writeAll(bytes, to: descriptor)
    } catch {
      ftruncate(descriptor, end)
      lseek(descriptor, end, SEEK_SET)
      throw error
    }
  }

  /// Reads at an offset until the buffer is full or the file ends, and returns the number of bytes.
  package func read(
    _ bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    var held = 0
    while held < bytes.count {
      let count = pread(
        descriptor, bytes.baseAddress.map { $0 + held }, bytes.count - held, off_t(offset + held))
      if count < 0 {
        if errno == EINTR { continue }
        throw .last("pread")
      }
      if count == 0 { break }
      held += count
    }
    return held
  }
}
