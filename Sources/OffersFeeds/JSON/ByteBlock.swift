/// Sixteen bytes that are looked at at once, as two words, the first byte of each the lowest.
struct ByteBlock {
  static let byteCount = 16
  /// In each byte its lowest bit, and its highest.
  private static let one: UInt64 = 0x0101_0101_0101_0101
  private static let high: UInt64 = 0x8080_8080_8080_8080

  private var words: SIMD2<UInt64>

  /// Sixteen zero bytes.
  @inline(__always)
  init() { words = SIMD2() }

  /// The bytes at an address.
  @inline(__always)
  init(at address: UnsafePointer<UInt8>) {
    let raw = UnsafeRawPointer(address).loadUnaligned(as: SIMD2<UInt64>.self)
    words = SIMD2(UInt64(littleEndian: raw[0]), UInt64(littleEndian: raw[1]))
  }

  /// Which bytes were found. In either word only the first is for certain.
  struct Marks {
    fileprivate let bits: SIMD2<UInt64>

    @inline(__always)
    var isEmpty: Bool { bits[0] | bits[1] == 0 }

    /// How many bytes come before the first; 16 when there is none.
    @inline(__always)
    var countBefore: Int {
      bits[0] != 0 ? bits[0].trailingZeroBitCount >> 3 : 8 + bits[1].trailingZeroBitCount >> 3
    }
  }

  /// The quotes, backslashes and control characters.
  @inline(__always)
  var textEnds: Marks {
    let ones = Self.each(Self.one)
    let quotes = words ^ Self.each(0x22 * Self.one)
    let slashes = words ^ Self.each(0x5C * Self.one)
    let controls = words &- Self.each(0x20 * Self.one)
    // None of the three has its highest bit set, which spares a look at each by itself.
    let found = (quotes &- ones) | (slashes &- ones) | controls
    return Marks(bits: found & ~words & Self.each(Self.high))
  }

  @inline(__always)
  var backslashes: Marks {
    let slashes = words ^ Self.each(0x5C * Self.one)
    return Marks(bits: (slashes &- Self.each(Self.one)) & ~slashes & Self.each(Self.high))
  }

  @inline(__always)
  private static func each(_ word: UInt64) -> SIMD2<UInt64> { SIMD2(repeating: word) }

  /// The first bytes, fewer than 16, and zero for the others.
  @inline(__always)
  func prefix(_ count: Int) -> ByteBlock {
    var block = self
    let mask: UInt64 = 1 << UInt64(8 * (count & 7)) &- 1
    block.words =
      count < 8 ? SIMD2(words[0] & mask, 0) : SIMD2(words[0], words[1] & mask)
    return block
  }

  /// Adds the bits that are set in another.
  @inline(__always)
  mutating func formUnion(_ other: ByteBlock) { words |= other.words }

  /// Whether any byte is beyond ASCII.
  @inline(__always)
  var hasNonASCII: Bool { (words[0] | words[1]) & Self.high != 0 }

  /// Writes all of them to an address.
  @inline(__always)
  func store(to address: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(address).storeBytes(
      of: SIMD2(words[0].littleEndian, words[1].littleEndian), as: SIMD2<UInt64>.self)
  }
}
