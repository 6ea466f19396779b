/// The bytes at which a reader of XML text has to look closer, and the search for them, 32 at a
/// time.
///
/// It stops in any case at control characters that XML 1.0 does not allow and at what is not the
/// UTF-8 of a character that it allows.
struct XMLStops {
  /// Stops wherever it stands; zero for none.
  let single: UInt8
  /// Stops with `seconds` behind it; the place is that of the second.
  let first: UInt8
  let seconds: (UInt8, UInt8)

  /// `&`, `<!` and `<?`.
  static let content = XMLStops(single: 0x26, first: 0x3C, seconds: (0x21, 0x3F))
  /// `]>`
  static let characterData = XMLStops(single: 0, first: 0x5D, seconds: (0x3E, 0x3E))
  /// `->`
  static let comment = XMLStops(single: 0, first: 0x2D, seconds: (0x3E, 0x3E))
  /// `?>`
  static let instruction = XMLStops(single: 0, first: 0x3F, seconds: (0x3E, 0x3E))

  /// The first place at or behind `start` to look at; the count when there is none.
  func find(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    let count = bytes.count
    var index = start
    while index < count {
      if index > 0 && index + 32 <= count {
        let skipped = plainLength(base + index)
        index += skipped
        if skipped == 32 { continue }
      }
      while index < count && bytes[index] >= 0x80 {
        let common = index + 4 <= count ? Self.commonLength(base + index) : 0
        if common > 0 {
          index += common
        } else {
          guard let length = Self.characterLength(in: bytes, at: index) else { return index }
          index += length
        }
      }
      if index == count { break }
      let byte = bytes[index]
      if isStop(byte, behind: index > 0 ? bytes[index - 1] : 0) { return index }
      index += 1
    }
    return count
  }

  /// How many of 32 bytes are ASCII and nothing to look at; the one before them is read as well.
  /// It may err on the side of looking.
  @inline(__always)
  private func plainLength(_ place: UnsafeRawPointer) -> Int {
    typealias Words = SIMD4<UInt64>
    func all(_ byte: UInt8) -> Words { Words(repeating: 0x0101_0101_0101_0101 &* UInt64(byte)) }
    let words = place.loadUnaligned(as: Words.self)
    let before = (place - 1).loadUnaligned(as: Words.self)
    // All that follows marks a byte in its highest bit, and is right as long as all are ASCII.
    func has(_ byte: UInt8, _ words: Words) -> Words { (words ^ all(byte)) &- all(1) }
    func lacks(_ byte: UInt8) -> Words { ((words & all(0x7F)) ^ all(byte)) &+ all(0x7F) }
    let isBelowSpace = ~((words | all(0x80)) &- all(0x20))
    let isControl = isBelowSpace & lacks(0x09) & lacks(0x0A) & lacks(0x0D)
    let isPair = (has(seconds.0, words) | has(seconds.1, words)) & has(first, before)
    let isAny = words | isControl | isPair | has(single, words)
    let marks = isAny & all(0x80)
    let pairs = marks.lowHalf | marks.highHalf
    if pairs.x | pairs.y == 0 { return 32 }
    // The lowest mark in a word is exact; those above may be due to it.
    for index in 0..<4 where marks[index] != 0 {
      return index * 8 + UInt64(littleEndian: marks[index]).trailingZeroBitCount >> 3
    }
    return 32
  }

  @inline(__always)
  private func isStop(_ byte: UInt8, behind before: UInt8) -> Bool {
    byte == single || (before == first && (byte == seconds.0 || byte == seconds.1))
      || Self.isForbidden(byte)
  }

  /// Whether a byte is a control character that XML 1.0 does not allow (section 2.2).
  @inline(__always)
  static func isForbidden(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D
  }

  /// How many bytes a character has, of those most used; zero for others and what is wrong. Four
  /// bytes are read.
  @inline(__always)
  private static func commonLength(_ place: UnsafeRawPointer) -> Int {
    let word = UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
    if word & 0xC0E0 == 0x80C0 { return word & 0x1E == 0 ? 0 : 2 }
    guard word & 0xC0_C0F0 == 0x80_80E0 else { return 0 }
    let lead = word & 0xFF
    return lead == 0xE0 || lead == 0xED || lead == 0xEF ? 0 : 3
  }

  /// How many bytes the character at `index` has, which is not ASCII; nil when it is cut off, not
  /// UTF-8, or one of U+FFFE and U+FFFF, which XML does not allow.
  @inline(__always)
  static func characterLength(in bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
    guard case .whole(let length) = UTF8Sequence.find(in: bytes, at: index) else { return nil }
    let isNoCharacter =
      length == 3 && bytes[index] == 0xEF && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
    return isNoCharacter ? nil : length
  }
}
