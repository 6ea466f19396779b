import Glibc
import OffersCore

/// An unlinked temporary file, written sequentially and read from the start.
package final class SpoolFile: Sendable {
  private let descriptor: Int32
  private let folder: String

  package init(folder: String) throws {
    self.folder = folder
    let number = String(UInt64.random(in: .min ... .max), radix: 36)
    let path = "\(folder)/offers-spool-\(number)"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure("create", folder) }
    // Unlinked at once: no other process can open it, and a crash leaves nothing behind.
    unlink(path)
  }

  deinit { close(descriptor) }

  /// Appends bytes: all of them or, on an error, none.
  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    let end = lseek(descriptor, 0, SEEK_CUR)
    if FileBytes.write(bytes, to: descriptor) { return }
    let failure = Self.failure("write", folder)
    ftruncate(descriptor, end)
    lseek(descriptor, end, SEEK_SET)
    throw failure
  }

  /// Calls `body` with the contents, in chunks.
  package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 8)
    defer { buffer.deallocate() }
    var offset = 0
    while true {
      let count = try read(buffer, at: offset)
      if count == 0 { return }
      offset += count
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Reads at an offset until the buffer is full or the file ends, and returns the number of bytes.
  func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    var held = 0
    while held < bytes.count {
      let count = pread(
        descriptor, bytes.baseAddress.map { $0 + held }, bytes.count - held, off_t(offset + held))
      if count < 0 {
        if errno == EINTR { continue }
        throw Self.failure("read", folder)
      }
      if count == 0 { break }
      held += count
    }
    return held
  }

  private static func failure(_ verb: String, _ place: String) -> OffersError {
    OffersError(
      .storageFailed,
      "Could not \(verb) a temporary file in \(place): \(String(cString: strerror(errno))).",
      hint: "Make room on the disk or check the folder's permissions, then try again.")
  }
}
