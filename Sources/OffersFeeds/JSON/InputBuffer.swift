import OffersCore

/// The window of a document's bytes that is being parsed. It moves on as records are consumed.
///
/// Zero bytes follow the window as a sentinel for scanners.
final class InputBuffer {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var first = 0
  private var last = 0
  /// The number of bytes of the document before `base`.
  private var passed = 0
  private let limitBytes: Int
  /// The number of line feeds before `base`, and the number of characters between the last of them
  /// and `base`.
  private var passedLines = 0
  private var passedColumns = 0

  static let paddingBytes = 64
  /// Eight bytes of 1.
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// - Parameters:
  ///   - limitBytes: the size of the window, in bytes, above which `append` throws, because an
  ///     incomplete record is too large.
  ///   - capacity: the number of bytes to allocate at first; the window grows when it needs more.
  init(limitBytes: Int, capacity: Int = 64 << 10) {
    self.limitBytes = limitBytes
    self.capacity = capacity
    base = .allocate(capacity: capacity + Self.paddingBytes)
    pad()
  }

  deinit {
    base.deallocate()
  }

  var start: UnsafePointer<UInt8> { UnsafePointer(base + first) }
  var end: UnsafePointer<UInt8> { UnsafePointer(base + last) }

  /// The number of bytes in the window.
  var heldBytes: Int { last - first }

  /// The offset in the document of an address in the window, in bytes from 0.
  func offset(of place: UnsafePointer<UInt8>) -> Int { passed + (place - UnsafePointer(base)) }

  /// The line and the column of an address in the window, counted from 1, for messages. A column is
  /// a character; a byte that continues one counts with it.
  func place(of place: UnsafePointer<UInt8>) -> String {
    let (lines, columns) = position(of: place)
    return "line \(lines + 1), column \(columns + 1)"
  }

  private func position(of place: UnsafePointer<UInt8>) -> (lines: Int, columns: Int) {
    var lines = passedLines
    var columns = passedColumns
    var p = UnsafePointer(base)
    while p < place {
      // Each byte of a document is counted, so eight bytes without a line feed are counted at once.
      if place - p >= 8 {
        let word = UnsafeRawPointer(p).loadUnaligned(as: UInt64.self)
        let others = word ^ 0x0A0A_0A0A_0A0A_0A0A
        if (others &- Self.ones) & ~others & (Self.ones << 7) == 0 {
          columns += 8 - (word >> 7 & ~word >> 6 & Self.ones).nonzeroBitCount
          p += 8
          continue
        }
      }
      if p.pointee == 0x0A {
        lines += 1
        columns = 0
      } else if p.pointee & 0xC0 != 0x80 {
        columns += 1
      }
      p += 1
    }
    return (lines, columns)
  }

  /// Drops the bytes before `place` from the window.
  func consume(to place: UnsafePointer<UInt8>) { first = place - UnsafePointer(base) }

  /// Appends bytes to the window in slices, and calls `read` when there may be a whole record.
  ///
  /// An incomplete record is scanned again from its start. Waiting until the window has doubled keeps the total cost
  /// of a large record that arrives in tiny chunks linear.
  ///
  /// - Parameter limitBytes: the largest size of a record, for which `read` need not wait longer.
  func take(
    _ bytes: UnsafeRawBufferPointer, limitBytes: Int, _ read: () throws -> Void
  ) throws {
    var start = 0
    repeat {
      let end = min(start + Self.sliceBytes, bytes.count)
      try append(bytes.slice(start, end))
      start = end
      if heldBytes < patienceBytes { continue }
      try read()
      patienceBytes = heldBytes > Self.crumbBytes ? min(2 * heldBytes, limitBytes) : 0
    } while start < bytes.count
  }

  /// The number of bytes that must be held before the next attempt to read a record.
  private var patienceBytes = 0
  private static let crumbBytes = 4 << 10
  /// The number of bytes copied at a time, so that they are still in the processor's cache when
  /// they are read.
  private static let sliceBytes = 32 << 10

  /// Appends bytes to the window.
  ///
  /// - Throws: `OffersError` with `limitExceeded` when the window already holds more than
  ///   `limitBytes`.
  func append(_ bytes: UnsafeRawBufferPointer) throws {
    let held = last - first
    if held > limitBytes {
      throw OffersError(
        .limitExceeded,
        "A single record is larger than \(limitBytes >> 20) MiB, at byte \(passed + first).",
        hint: "Nothing was changed. Check that the source is an offers feed.")
    }
    if first > 0 {
      (passedLines, passedColumns) = position(of: UnsafePointer(base + first))
      UnsafeMutableRawPointer(base).copyMemory(from: base + first, byteCount: held)
      passed += first
      first = 0
      last = held
    }
    let needed = held + bytes.count
    if needed > capacity {
      capacity = max(needed, 2 * capacity)
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.paddingBytes)
      UnsafeMutableRawPointer(larger).copyMemory(from: base, byteCount: held)
      base.deallocate()
      base = larger
    }
    if let source = bytes.baseAddress {
      UnsafeMutableRawPointer(base + last).copyMemory(from: source, byteCount: bytes.count)
    }
    last += bytes.count
    pad()
  }

  private func pad() {
    for index in 0..<Self.paddingBytes { base[last + index] = 0 }
  }
}
