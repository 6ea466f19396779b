import OffersCore

/// The bytes of a document that are being read: a window that moves on as records are done with.
///
/// Zero bytes follow the window, for scanners that stop at them.
final class InputBuffer {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var first = 0
  private var last = 0
  /// How many bytes of the document went by before `base`.
  private var passed = 0
  private let limitBytes: Int

  static let paddingBytes = 64

  /// - Parameter limitBytes: the most that may be held while waiting for the rest of a record.
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

  /// How many bytes the window holds.
  var heldBytes: Int { last - first }

  /// The place in the document of an address in the window, in bytes from 0.
  func offset(of place: UnsafePointer<UInt8>) -> Int { passed + (place - UnsafePointer(base)) }

  /// Lets go of what lies before `place`.
  func consume(to place: UnsafePointer<UInt8>) { first = place - UnsafePointer(base) }

  /// Adds bytes behind the window.
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
