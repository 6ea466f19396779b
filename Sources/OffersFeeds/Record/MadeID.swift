import OffersCore

/// An id for an offer whose feed gives none: readable, the same as long as the values it is made
/// from are, and different where they differ.
///
/// It begins with the first value in lower-case letters without their marks, digits and hyphens, and
/// ends with 32 bits of a hash over all values, so that `Café` and `Cafe` stay apart; where nothing
/// readable is left it is the hash alone, of 64 bits.
enum MadeID {
  private static let readableBytes = 40
  /// What the letters from À to ÿ are without their marks.
  private static let plainLetters: StaticString =
    "aaaaaaaceeeeiiiidnooooo-ouuuuytsaaaaaaaceeeeiiiidnooooo-ouuuuyty"

  /// The id; nil when none of the values is there.
  static func make(
    from parts: [ValuePlan.Source], _ values: inout RecordValues
  ) -> UnsafeRawBufferPointer? {
    var hash = ContentHash(seed: 3)
    var readable: [UInt8] = []
    var isThere = false
    for part in parts {
      guard case .text(let text, _) = values.value(part, join: [0x1F]) else {
        hash.combine(nil)
        continue
      }
      if !isThere { readable = slug(text) }
      isThere = true
      hash.combine(text)
    }
    if !isThere { return nil }
    let digits = hex(hash.value)
    let id = readable.isEmpty ? digits : readable + [0x2D] + digits.prefix(8)
    return values.record.arena.copy(id)
  }

  private static func slug(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var slug: [UInt8] = []
    var lead: UInt8 = 0
    for byte in text {
      var lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
      // À to ÿ are two bytes, of which the second tells which.
      if lead == 0xC3, byte &- 0x80 < 64 { lower = plainLetters.utf8Start[Int(byte &- 0x80)] }
      lead = byte
      if lower &- 0x61 < 26 || lower &- 0x30 < 10 {
        slug.append(lower)
      } else if let last = slug.last, last != 0x2D, lower < 0x80 {
        slug.append(0x2D)
      }
      if slug.count == readableBytes { break }
    }
    while slug.last == 0x2D { slug.removeLast() }
    return slug
  }

  private static func hex(_ value: UInt64) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return (0..<16).map { digits[Int(value >> UInt64(60 - 4 * $0) & 15)] }
  }
}
