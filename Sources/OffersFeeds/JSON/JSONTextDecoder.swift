import OffersCore

/// Decodes a JSON text: replaces escapes by their characters, CRLF by LF, and invalid UTF-8,
/// unpaired surrogates and NUL by U+FFFD. A text that needs none of this is not copied.
///
/// Decoded texts are stored in the arena, and are valid until it is reset.
struct JSONTextDecoder {
  private let arena: TextArena

  init(arena: TextArena) {
    self.arena = arena
  }

  /// Returns the decoded text. Sets `wasMended` when a part was replaced by U+FFFD.
  @inline(__always)
  func decode(
    _ raw: UnsafeRawBufferPointer, _ traits: JSONScanner.TextTraits, wasMended: inout Bool
  ) -> UnsafeRawBufferPointer {
    if !traits.hasEscapes && !traits.hasNonASCII { return raw }
    var text = raw
    if traits.hasEscapes { text = unescape(raw, &wasMended) }
    if traits.hasNonASCII, !UTF8Sequence.isValid(text) {
      wasMended = true
      text = repair(text)
    }
    return text
  }

  /// Decodes escapes, which the scanner has validated.
  private func unescape(
    _ raw: UnsafeRawBufferPointer, _ wasMended: inout Bool
  ) -> UnsafeRawBufferPointer {
    guard let base = raw.baseAddress else { return raw }
    var p = base.assumingMemoryBound(to: UInt8.self)
    let end = p + raw.count
    // Whole blocks are copied, so the last one may extend past the end of the text.
    let start = arena.allocate(raw.count + ByteBlock.byteCount)
    var out = start
    while p < end {
      Self.copyToEscape(&p, end, &out)
      if p == end { break }
      switch p[1] {
      case 0x6E:
        // \r\n becomes \n: overwrites the preceding carriage return.
        if out > start, out[-1] == 0x0D { out -= 1 }
        out.pointee = 0x0A
      case 0x72:
        // A line feed usually follows, so both escapes are decoded at once.
        if end - p >= 4, p[2] == 0x5C, p[3] == 0x6E { p += 2 }
        out.pointee = p[1] == 0x6E ? 0x0A : 0x0D
      case 0x74: out.pointee = 0x09
      case 0x62: out.pointee = 0x08
      case 0x66: out.pointee = 0x0C
      case 0x75:
        var scalar = Self.scalar(&p, end, &wasMended)
        if scalar == 0 {
          // C functions, such as SQLite's, would truncate the text at a NUL.
          scalar = 0xFFFD
          wasMended = true
        }
        if scalar == 0x0A, out > start, out[-1] == 0x0D { out -= 1 }
        // The escape has more bytes than are stored, so they are within the allocated ones.
        let (packed, count) = UTF8Scalar.pack(scalar)
        UnsafeMutableRawPointer(out).storeBytes(of: packed.littleEndian, as: UInt32.self)
        out += count
        continue
      default: out.pointee = p[1]
      }
      out += 1
      p += 2
    }
    return UnsafeRawBufferPointer(start: start, count: out - start)
  }

  /// Copies the text up to the next escape or the end.
  @inline(__always)
  private static func copyToEscape(
    _ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
    _ out: inout UnsafeMutablePointer<UInt8>
  ) {
    while p < end {
      // Reading past the end is safe, since the buffer is padded.
      let slashes = ByteBlock.copy(p, to: out)
      let run = min(slashes.countBefore, end - p)
      p += run
      out += run
      if !slashes.isEmpty { return }
    }
  }

  /// Decodes `\u` and four hexadecimal digits, or two of these that are a surrogate pair, and moves
  /// past them. An unpaired surrogate, which is not a character, is U+FFFD (RFC 8259, section
  /// 8.2).
  private static func scalar(
    _ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ wasMended: inout Bool
  ) -> UInt32 {
    let first = unit(p + 2)
    p += 6
    guard first & 0xF800 == 0xD800 else { return first }
    if first < 0xDC00, end - p >= 6, p[0] == 0x5C, p[1] == 0x75 {
      let second = unit(p + 2)
      if second & 0xFC00 == 0xDC00 {
        p += 6
        return 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF)
      }
    }
    wasMended = true
    return 0xFFFD
  }

  /// The value of four hexadecimal digits.
  private static func unit(_ p: UnsafePointer<UInt8>) -> UInt32 {
    (0..<4).reduce(0) { $0 << 4 | UInt32(ASCII.hexDigit(p[$1]) ?? 0) }
  }

  private func repair(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var repaired = String(decoding: text, as: UTF8.self)
    return repaired.withUTF8 { arena.copy(UnsafeRawBufferPointer($0)) }
  }
}
