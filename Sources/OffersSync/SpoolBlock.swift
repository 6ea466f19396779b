import OffersCore

/// A piece of memory that records are put into one behind the other.
///
/// `@unchecked`, because the compiler takes no raw memory for safe to share, and an array gives no
/// address that outlives a call, as a reader of one record after the other needs it. Whoever makes a
/// block is the only one who has it while it is filled: a spool keeps its own until `finish`, after
/// which nothing is added, and a reader its piece of the file. What is shared is only read.
final class SpoolBlock: @unchecked Sendable {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  private var used = 0

  static let usualBytes = 256 << 10
  /// What the first block begins with: most syncs find little or nothing that differs.
  static let firstBytes = 32 << 10

  init(byteCount: Int) {
    capacity = byteCount
    base = Self.allocate(byteCount)
  }

  deinit { base.deallocate() }

  /// Makes a first block twice as large; false when it is as large as the others.
  func grow() -> Bool {
    if capacity >= Self.usualBytes { return false }
    let larger = Self.allocate(2 * capacity)
    larger.copyMemory(from: base, byteCount: used)
    base.deallocate()
    base = larger
    capacity *= 2
    return true
  }

  var freeBytes: Int { capacity - used }

  /// What nothing was written to.
  var free: UnsafeMutableRawBufferPointer { .init(start: base + used, count: freeBytes) }

  var contents: UnsafeRawBufferPointer { .init(start: base, count: used) }

  /// The contents up to the last record that stands whole in them.
  var wholeRecords: UnsafeRawBufferPointer {
    var place = 0
    while used - place >= 8 {
      let byteCount = OfferRecord(at: base + place).byteCount
      if byteCount > used - place { break }
      place += byteCount
    }
    return .init(start: base, count: place)
  }

  func clear() { used = 0 }

  /// Adds so many bytes, which `write` puts at the address it is given. They must fit.
  func append(byteCount: Int, _ write: (UnsafeMutableRawPointer) -> Void) {
    write(base + used)
    used += byteCount
  }

  /// Records start at multiples of eight bytes.
  private static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    .allocate(byteCount: byteCount, alignment: 8)
  }
}
