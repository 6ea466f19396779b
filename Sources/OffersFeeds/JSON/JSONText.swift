import OffersCore

/// The decoding of JSON texts.
enum JSONText {
  /// Returns the decoded text, and whether a part of it was replaced by U+FFFD.
  ///
  /// - Parameters:
  ///   - raw: the text without its quotes. `ByteBlock.byteCount` readable bytes follow it.
  ///   - traits: what the scanner found in it.
  @inline(__always)
  static func decode(
    _ raw: UnsafeRawBufferPointer, _ traits: JSONScanner.TextTraits
  ) -> (text: String, isMended: Bool) {
    if traits.hasEscapes { return unescape(raw, traits) }
    if !traits.hasNonASCII { return (String(decoding: raw, as: UTF8.self), false) }
    return checked(raw)
  }

  private static func checked(_ bytes: UnsafeRawBufferPointer) -> (text: String, isMended: Bool) {
    if let text = String(validating: bytes, as: UTF8.self) { return (text, false) }
    return (String(decoding: bytes, as: UTF8.self), true)
  }

  private static func unescape(
    _ raw: UnsafeRawBufferPointer, _ traits: JSONScanner.TextTraits
  ) -> (text: String, isMended: Bool) {
    // Whole blocks are copied, so the last one may extend past the end of the text.
    withUnsafeTemporaryAllocation(
      byteCount: raw.count + ByteBlock.byteCount, alignment: 1
    ) { room in
      guard let source = raw.baseAddress, let target = room.baseAddress else { return ("", false) }
      var isMended = false
      let count = unescape(
        source.assumingMemoryBound(to: UInt8.self), raw.count,
        to: target.assumingMemoryBound(to: UInt8.self), &isMended)
      let (text, isInvalid) = checked(UnsafeRawBufferPointer(start: target, count: count))
      return (text, isMended || isInvalid)
    }
  }

  /// Decodes escapes, which the scanner has validated; returns the number of bytes written.
  private static func unescape(
    _ start: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>,
    _ isMended: inout Bool
  ) -> Int {
    var p = start
    let end = start + count
    var out = target
    while p < end {
      copyToEscape(&p, end, &out)
      if p == end { break }
      switch p[1] {
      case 0x6E:
        // \r\n becomes \n: overwrites the preceding carriage return.
        if out > target, out[-1] == 0x0D { out -= 1 }
        out.pointee = 0x0A
      case 0x72: out.pointee = 0x0D
      case 0x74: out.pointee = 0x09
      case 0x62: out.pointee = 0x08
      case 0x66: out.pointee = 0x0C
      case 0x75:
        var scalar = scalar(&p, end, &isMended)
        if scalar == 0 {
          // C functions, such as SQLite's, would truncate the text at a NUL.
          scalar = 0xFFFD
          isMended = true
        }
        if scalar == 0x0A, out > target, out[-1] == 0x0D { out -= 1 }
        // The escape has more bytes than are stored, so they are within the allocated ones.
        let (packed, length) = UTF8Scalar.pack(scalar)
        UnsafeMutableRawPointer(out).storeBytes(of: packed.littleEndian, as: UInt32.self)
        out += length
        continue
      default: out.pointee = p[1]
      }
      out += 1
      p += 2
    }
    return out - target
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
    _ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ isMended: inout Bool
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
    isMended = true
    return 0xFFFD
  }

  /// The value of four hexadecimal digits.
  private static func unit(_ p: UnsafePointer<UInt8>) -> UInt32 {
    (0..<4).reduce(0) { $0 << 4 | UInt32(ASCII.hexDigit(p[$1]) ?? 0) }
  }
}
