import ByteVector

/// Sixteen bytes of a text, which a vector instruction classifies at once.
struct ByteBlock {
  static let byteCount = 16

  /// A set of bytes within a block.
  struct Marks {
    /// A bit for each byte; the lowest bit is the first byte.
    fileprivate(set) var bits: UInt32 = 0

    @inline(__always)
    var isEmpty: Bool { bits == 0 }

    /// The number of bytes before the first one in the set; 16 for an empty set.
    @inline(__always)
    var countBefore: Int { (bits | 1 << UInt32(ByteBlock.byteCount)).trailingZeroBitCount }

    /// The bytes of the set among the block's first `count`.
    @inline(__always)
    func prefix(_ count: Int) -> Marks { Marks(bits: bits & (1 << UInt32(count) &- 1)) }

    /// Adds the positions in another set, which may be that of another block.
    @inline(__always)
    mutating func formUnion(_ other: Marks) { bits |= other.bits }
  }

  /// The double quotes, backslashes and control characters (below 0x20), which end a run of text
  /// without escapes.
  let textEnds: Marks
  /// The bytes outside ASCII.
  let nonASCII: Marks

  /// Loads the 16 bytes at an address.
  @inline(__always)
  init(at address: UnsafePointer<UInt8>) {
    let marks = offers_text_marks(address)
    textEnds = Marks(bits: marks & 0xFFFF)
    nonASCII = Marks(bits: marks >> 16)
  }

  /// Copies the 16 bytes at an address; returns the backslashes among them.
  @inline(__always)
  static func copy(
    _ address: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
  ) -> Marks {
    Marks(bits: offers_copy_text(address, target))
  }
}
