import Glibc
import OffersCore

/// Collects records until a whole feed has been read, so that the store is written in one short
/// transaction that waits for nothing. The first megabytes stay in memory; what does not fit goes
/// to a nameless file, which disappears with the process.
final class RecordSpool {
  private let folder: String
  private var blocks: [SpoolBlock] = []
  private var current = SpoolBlock(byteCount: SpoolBlock.firstBytes)
  private var file: SpoolFile?

  /// How many full blocks are kept in memory.
  private static let blockLimit = 7

  init(folder: String) {
    self.folder = folder
  }

  /// Adds a record of `byteCount` bytes, which `write` puts at the address it is given.
  func append(byteCount: Int, _ write: (UnsafeMutableRawPointer) -> Void) throws {
    if byteCount > current.freeBytes { try makeRoom(byteCount) }
    current.append(byteCount: byteCount, write)
  }

  /// The records collected so far, for another thread to read.
  func finish() throws -> SpooledRecords {
    if file != nil { try flush() }
    return SpooledRecords(
      memory: blocks + (file == nil ? [current] : []), file: file)
  }

  private func makeRoom(_ byteCount: Int) throws {
    while current.grow() {
      if byteCount <= current.freeBytes { return }
    }
    if file == nil && blocks.count < Self.blockLimit {
      blocks.append(current)
      current = SpoolBlock(byteCount: max(byteCount, SpoolBlock.usualBytes))
      return
    }
    try flush()
    if byteCount > current.freeBytes { current = SpoolBlock(byteCount: byteCount) }
  }

  private func flush() throws {
    let target = try file ?? SpoolFile(folder: folder)
    file = target
    try current.withContents(target.append)
    current.clear()
  }
}

/// A piece of memory that records are put into one behind the other. A value, so that it can be
/// handed to another thread.
struct SpoolBlock: Sendable {
  /// Words, because records start at multiples of eight bytes.
  private var words: [UInt64]
  private var used = 0

  static let usualBytes = 2 << 20
  /// What the first block begins with: most syncs find little or nothing that differs.
  static let firstBytes = 32 << 10

  init(byteCount: Int) {
    words = [UInt64](repeating: 0, count: (byteCount + 7) / 8)
  }

  /// Makes a first block twice as large; false when it is as large as the others. Memory that is
  /// not needed is not cleared: for a small feed that would take longer than the rest.
  mutating func grow() -> Bool {
    let missing = min(words.count, Self.usualBytes / 8 - words.count)
    if missing <= 0 { return false }
    words.reserveCapacity(words.count + missing)
    for _ in 0..<missing { words.append(0) }
    return true
  }

  var freeBytes: Int { words.count * 8 - used }

  mutating func clear() { used = 0 }

  mutating func append(byteCount: Int, _ write: (UnsafeMutableRawPointer) -> Void) {
    words.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      write(base + used)
    }
    used += byteCount
  }

  func withContents<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try words.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(used))) }
  }

  func forEachRecord(_ body: (OfferRecord) throws -> Void) throws {
    try withContents { bytes in
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

/// Records that will not change any more: in memory when they are few, the rest in a file.
struct SpooledRecords: OfferRecordSource {
  fileprivate let memory: [SpoolBlock]
  fileprivate let file: SpoolFile?

  var isLarge: Bool { memory.count > 1 || file != nil }

  func forEachRecord(_ body: (OfferRecord) throws -> Void) throws {
    for block in memory { try block.forEachRecord(body) }
    try file?.forEachRecord(body)
  }
}
