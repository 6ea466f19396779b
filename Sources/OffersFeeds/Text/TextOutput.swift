/// A buffer of 64 KiB that collects the UTF-8 output of decoders and passes it on when it is full.
final class TextOutput {
  private let base: UnsafeMutableRawPointer
  private var count = 0

  private static let capacity = 64 << 10
  /// The number of free bytes that `append(scalar:)` requires; it stores four.
  private static let roomBytes = 8

  init() { base = .allocate(byteCount: Self.capacity, alignment: 16) }

  deinit { base.deallocate() }

  func flush(_ emit: ByteSink) throws {
    if count == 0 { return }
    let bytes = UnsafeRawBufferPointer(start: base, count: count)
    count = 0
    try emit(bytes)
  }

  /// Appends bytes unchanged.
  func append(_ bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws {
    var rest = bytes
    while let source = rest.baseAddress, !rest.isEmpty {
      if count == Self.capacity { try flush(emit) }
      let size = min(rest.count, Self.capacity - count)
      (base + count).copyMemory(from: source, byteCount: size)
      count += size
      rest = rest.tail(from: size)
    }
  }

  /// Appends a character; an invalid scalar becomes U+FFFD.
  @inline(__always)
  func append(scalar: UInt32, _ emit: ByteSink) throws {
    if count > Self.capacity - Self.roomBytes { try flush(emit) }
    let (packed, length) = UTF8Scalar.pack(scalar)
    (base + count).storeBytes(of: packed.littleEndian, as: UInt32.self)
    count += length
  }

  /// Lets `body` write at the end of the buffer, with room for at least `least` bytes. `body`
  /// returns the number of bytes written.
  func write(
    least: Int, _ emit: ByteSink, _ body: (UnsafeMutableRawBufferPointer) -> Int
  ) throws {
    if Self.capacity - count < least { try flush(emit) }
    count += body(
      UnsafeMutableRawBufferPointer(start: base + count, count: Self.capacity - count))
  }
}

/// The UTF-8 encoding of a character.
enum UTF8Scalar {
  /// Returns the bytes, the first one in the lowest 8 bits, and their count; those of U+FFFD for an
  /// invalid scalar.
  @inline(__always)
  static func pack(_ scalar: UInt32) -> (bytes: UInt32, count: Int) {
    func trail(_ shift: UInt32) -> UInt32 { 0x80 | scalar >> shift & 0x3F }
    switch scalar {
    case 0..<0x80: return (scalar, 1)
    case 0x80..<0x800: return (0xC0 | scalar >> 6 | trail(0) << 8, 2)
    case 0x800..<0xD800, 0xE000..<0x1_0000:
      return (0xE0 | scalar >> 12 | trail(6) << 8 | trail(0) << 16, 3)
    case 0x1_0000..<0x11_0000:
      return (0xF0 | scalar >> 18 | trail(12) << 8 | trail(6) << 16 | trail(0) << 24, 4)
    default: return (0xBD_BFEF, 3)
    }
  }
}
