import Glibc
import OffersCore

/// Collects records until a whole feed has been read, so that the store is written in one short
/// transaction that waits for nothing. What does not fit in memory goes to a nameless file, which
/// disappears with the process.
final class RecordSpool {
  private let folder: String
  private let block: UnsafeMutableRawPointer
  private var used = 0
  private var file: SpoolFile?

  /// How much is kept in memory before the file is used, and how much is written at a time.
  static let blockBytes = 2 << 20

  init(folder: String) {
    self.folder = folder
    block = .allocate(byteCount: Self.blockBytes, alignment: 8)
  }

  deinit { block.deallocate() }

  /// Adds a record of `byteCount` bytes, which `write` puts at the address it is given.
  func append(byteCount: Int, _ write: (UnsafeMutableRawPointer) -> Void) throws {
    if byteCount > Self.blockBytes {
      try flush()
      let large = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
      defer { large.deallocate() }
      write(large)
      try openFile().append(UnsafeRawBufferPointer(start: large, count: byteCount))
      return
    }
    if used + byteCount > Self.blockBytes { try flush() }
    write(block + used)
    used += byteCount
  }

  /// The records collected so far, for another thread to read.
  func finish() throws -> SpooledRecords {
    if file != nil { try flush() }
    return SpooledRecords(
      memory: [UInt8](UnsafeRawBufferPointer(start: block, count: used)), file: file)
  }

  private func flush() throws {
    if used == 0 { return }
    try openFile().append(UnsafeRawBufferPointer(start: block, count: used))
    used = 0
  }

  private func openFile() throws -> SpoolFile {
    if let file { return file }
    let opened = try SpoolFile(folder: folder)
    file = opened
    return opened
  }
}

/// Records that will not change any more: in memory when they are few, else in a file.
struct SpooledRecords: OfferRecordSource {
  fileprivate let memory: [UInt8]
  fileprivate let file: SpoolFile?

  var isLarge: Bool { file != nil }

  func forEach(_ body: (OfferRecord) throws -> Void) throws {
    if let file {
      try file.forEachRecord(body)
      return
    }
    try memory.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var offset = 0
      while offset < bytes.count {
        let record = OfferRecord(at: base + offset)
        try body(record)
        offset += record.byteCount
      }
    }
  }
}

/// A file without a name, written once from front to back and read from the front.
final class SpoolFile: Sendable {
  private let descriptor: Int32

  init(folder: String) throws {
    var template = Array("\(folder)/offers-spool-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Self.failure("create", folder) }
    // Without a name nobody else can open it, and nothing is left behind by a crash.
    unlink(template)
  }

  deinit { close(descriptor) }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    var left = bytes
    while !left.isEmpty {
      let written = write(descriptor, left.baseAddress, left.count)
      if written < 0 {
        if errno == EINTR { continue }
        throw Self.failure("write", "the database's folder")
      }
      left = UnsafeRawBufferPointer(rebasing: left[written...])
    }
  }

  func forEachRecord(_ body: (OfferRecord) throws -> Void) throws {
    var capacity = RecordSpool.blockBytes
    var buffer = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    defer { buffer.deallocate() }
    var held = 0
    var offset = 0
    while true {
      let count = pread(descriptor, buffer + held, capacity - held, off_t(offset))
      if count < 0 {
        if errno == EINTR { continue }
        throw Self.failure("read", "the database's folder")
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
      hint: "Make room on the disk or check the folder's permissions, then sync again.")
  }
}
