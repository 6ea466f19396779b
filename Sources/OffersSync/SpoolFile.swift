import Glibc
import OffersCore

/// A file without a name, written once from front to back and read from the front.
package final class SpoolFile: Sendable {
  private let descriptor: Int32

  package init(folder: String) throws {
    let number = String(UInt64.random(in: .min ... .max), radix: 36)
    let path = "\(folder)/offers-spool-\(number)"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure("create", folder) }
    // Without a name nobody else can open it, and nothing is left behind by a crash.
    unlink(path)
  }

  deinit { close(descriptor) }

  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard FileBytes.write(bytes, to: descriptor) else { throw Self.failure("write", "its folder") }
  }

  /// Hands over all that was written, in pieces.
  package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 8)
    defer { buffer.deallocate() }
    var offset = 0
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count < 0 {
        if errno == EINTR { continue }
        throw Self.failure("read", "its folder")
      }
      if count == 0 { return }
      offset += count
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  func forEachRecord(_ body: (OfferRecord) throws -> Void) throws {
    var capacity = SpoolBlock.usualBytes
    var buffer = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    defer { buffer.deallocate() }
    var held = 0
    var offset = 0
    while true {
      let count = pread(descriptor, buffer + held, capacity - held, off_t(offset))
      if count < 0 {
        if errno == EINTR { continue }
        throw Self.failure("read", "its folder")
      }
      offset += count
      held += count
      var place = 0
      while held - place >= 8 {
        let record = OfferRecord(at: buffer + place)
        if record.byteCount > held - place { break }
        try body(record)
        place += record.byteCount
      }
      if count == 0 { return }
      let rest = held - place
      if place == 0 && rest == capacity {
        // One record larger than the buffer.
        let larger = UnsafeMutableRawPointer.allocate(byteCount: 2 * capacity, alignment: 8)
        larger.copyMemory(from: buffer, byteCount: rest)
        buffer.deallocate()
        buffer = larger
        capacity *= 2
      } else {
        memmove(buffer, buffer + place, rest)
      }
      held = rest
    }
  }

  private static func failure(_ verb: String, _ place: String) -> OffersError {
    OffersError(
      .storageFailed,
      "Could not \(verb) a temporary file in \(place): \(String(cString: strerror(errno))).",
      hint: "Make room on the disk or check the folder's permissions, then try again.")
  }
}
