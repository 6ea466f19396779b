import ByteVector

/// Sixteen bytes of a text that are looked at at once.
struct ByteBlock {
  static let byteCount = 16

  /// Which bytes were found.
  struct Marks {
    /// A bit for each byte, the first one's the lowest.
    fileprivate(set) var bits: UInt32 = 0

    @inline(__always)
    var isEmpty: Bool { bits == 0 }

    /// How many bytes come before the first; 16 when there is none.
    @inline(__always)
    var countBefore: Int { (bits | 1 << UInt32(ByteBlock.byteCount)).trailingZeroBitCount }

    /// Those among the first bytes.
    @inline(__always)
    func prefix(_ count: Int) -> Marks { Marks(bits: bits & (1 << UInt32(count) &- 1)) }

    /// Adds what was found elsewhere.
    @inline(__always)
    mutating func formUnion(_ other: Marks) { bits |= other.bits }
  }

  /// The quotes, backslashes and control characters.
  let textEnds: Marks
  /// The bytes beyond ASCII.
  let nonASCII: Marks

  /// The bytes at an address.
  @inline(__always)
  init(at address: UnsafePointer<UInt8>) {
    let marks = offers_text_marks(address)
    textEnds = Marks(bits: marks & 0xFFFF)
    nonASCII = Marks(bits: marks >> 16)
  }

  /// Copies a block. Returns its backslashes.
  @inline(__always)
  static func copy(
    _ address: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
  ) -> Marks {
    Marks(bits: offers_copy_text(address, target))
  }
}
