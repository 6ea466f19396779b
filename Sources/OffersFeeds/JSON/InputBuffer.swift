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

  static let paddingBytes = 64

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

  /// Drops the bytes before `place` from the window.
  func consume(to place: UnsafePointer<UInt8>) { first = place - UnsafePointer(base) }

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
