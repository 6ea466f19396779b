/// The stops of a search through XML text: one byte, and one or two pairs of bytes.
///
/// The search examines 32 bytes at a time. It also stops at control characters that XML 1.0
/// forbids, and at bytes that are not the UTF-8 encoding of an allowed character.
struct XMLStops {
  /// A byte at which the search stops anywhere; zero for none.
  let single: UInt8
  /// The first byte of the pairs. The search stops at the byte after it, if that is one of
  /// `seconds`.
  let first: UInt8
  let seconds: (UInt8, UInt8)
  /// Whether the search also stops at other bytes after `first` that begin no tag: all of ASCII but
  /// letters, `/`, `:` and `_`.
  var stopsAtNoTag = false

  /// The stops of content: `&`, `<!`, `<?`, and `<` before something that begins no tag.
  static let content = XMLStops(
    single: 0x26, first: 0x3C, seconds: (0x21, 0x3F), stopsAtNoTag: true)
  /// The stop of a CDATA section: `]>`, which ends `]]>`.
  static let characterData = XMLStops(single: 0, first: 0x5D, seconds: (0x3E, 0x3E))
  /// The stop of a comment: `->`, which ends `-->`.
  static let comment = XMLStops(single: 0, first: 0x2D, seconds: (0x3E, 0x3E))
  /// The stop of a processing instruction: `?>`.
  static let instruction = XMLStops(single: 0, first: 0x3F, seconds: (0x3E, 0x3E))

  /// The index of the first stop at or after `start`, and of the second byte of a pair; the count
  /// when there is none.
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

  /// The number of bytes before the first stop or byte outside ASCII among 32 bytes; also reads the
  /// byte before them. The result may be too small, never too large.
  @inline(__always)
  private func plainLength(_ place: UnsafeRawPointer) -> Int {
    typealias Words = SIMD4<UInt64>
    func all(_ byte: UInt8) -> Words { Words(repeating: 0x0101_0101_0101_0101 &* UInt64(byte)) }
    let words = place.loadUnaligned(as: Words.self)
    let before = (place - 1).loadUnaligned(as: Words.self)
    // `has` sets the highest bit of bytes that equal `byte`, `lacks` that of bytes that do not.
    // Bytes outside ASCII may be marked in either case.
    func has(_ byte: UInt8, _ words: Words) -> Words { (words ^ all(byte)) &- all(1) }
    func lacks(_ byte: UInt8) -> Words { ((words & all(0x7F)) ^ all(byte)) &+ all(0x7F) }
    let isBelowSpace = ~((words | all(0x80)) &- all(0x20))
    let isControl = isBelowSpace & lacks(0x09) & lacks(0x0A) & lacks(0x0D)
    var isSecond = has(seconds.0, words) | has(seconds.1, words)
    if stopsAtNoTag {
      let lower = (words | all(0x20)) & all(0x7F)
      // The highest bit is set for `a` to `z`.
      let isLetter = (lower &+ all(0x80 - 0x61)) & ~(lower &+ all(0x80 - 0x7B))
      isSecond |= ~isLetter & lacks(0x2F) & lacks(0x3A) & lacks(0x5F)
    }
    let isPair = isSecond & has(first, before)
    let isAny = words | isControl | isPair | has(single, words)
    let marks = isAny & all(0x80)
    let pairs = marks.lowHalf | marks.highHalf
    if pairs.x | pairs.y == 0 { return 32 }
    // The subtractions in a word may borrow from the byte above a mark and mark it as well, so only
    // the lowest mark of a word is certain.
    for index in 0..<4 where marks[index] != 0 {
      return index * 8 + UInt64(littleEndian: marks[index]).trailingZeroBitCount >> 3
    }
    return 32
  }

  @inline(__always)
  private func isStop(_ byte: UInt8, behind before: UInt8) -> Bool {
    byte == single || (before == first && isSecond(byte)) || Self.isForbidden(byte)
  }

  @inline(__always)
  private func isSecond(_ byte: UInt8) -> Bool {
    byte == seconds.0 || byte == seconds.1
      || stopsAtNoTag && byte < 0x80 && !CharacterScan.isLetter(byte) && byte != 0x2F
        && byte != 0x3A && byte != 0x5F
  }

  /// Whether a byte is a control character that XML 1.0 forbids (section 2.2).
  @inline(__always)
  static func isForbidden(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D
  }

  /// The length of a character in the most common ranges, in bytes; zero for others and for invalid
  /// bytes. Reads four bytes.
  @inline(__always)
  private static func commonLength(_ place: UnsafeRawPointer) -> Int {
    let word = UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
    if word & 0xC0E0 == 0x80C0 { return word & 0x1E == 0 ? 0 : 2 }
    guard word & 0xC0_C0F0 == 0x80_80E0 else { return 0 }
    let lead = word & 0xFF
    return lead == 0xE0 || lead == 0xED || lead == 0xEF ? 0 : 3
  }

  /// The length of the non-ASCII character at `index`, in bytes; nil when it is incomplete, not
  /// valid UTF-8, or U+FFFE or U+FFFF, which XML forbids.
  @inline(__always)
  static func characterLength(in bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
    guard case .whole(let length) = UTF8Sequence.find(in: bytes, at: index) else { return nil }
    let isNoCharacter =
      length == 3 && bytes[index] == 0xEF && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
    return isNoCharacter ? nil : length
  }
}
