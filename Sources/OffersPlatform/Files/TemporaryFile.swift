import Foundation
import SystemShim

/// An unnamed temporary file, written sequentially and read from any offset. Its space is freed
/// when it is released or the process ends.
package final class TemporaryFile: Sendable {
  private let descriptor: Int32

  /// - Parameter folder: an existing folder, whose file system holds the file.
  package init(folder: String) throws(SystemError) {
    descriptor = try Self.makeUnnamed(in: folder)
  }

  private static func makeUnnamed(in folder: String) throws(SystemError) -> Int32 {
    let descriptor = offers_open_unnamed(folder)
    if descriptor >= 0 { return descriptor }
    guard [ENOSYS, EOPNOTSUPP, EISDIR, EINVAL].contains(errno) else { throw .last("open") }
    return try makeNamed(in: folder)
  }

  /// Creates a file with a name and removes the name at once, for file systems that cannot create a
  /// file without one.
  static func makeNamed(in folder: String) throws(SystemError) -> Int32 {
    AbandonedFiles.remove(in: folder)
    let path = "\(folder)/\(AbandonedFiles.makeSpoolName())"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .last("open") }
    unlink(path)
    return descriptor
  }

  deinit { close(descriptor) }

  /// Appends bytes: all of them or, on an error, none.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    let end = lseek(descriptor, 0, SEEK_CUR)
    do {
      try FileOperations.writeAll(bytes, to: descriptor)
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
