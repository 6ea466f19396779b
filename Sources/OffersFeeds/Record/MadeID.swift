import OffersCore

/// Makes an id for an offer whose feed has none: readable, the same while the values it is made
/// from stay the same, and different for different values except by a rare collision.
///
/// The id is the first value present, reduced to at most 40 ASCII letters in lower case, digits and
/// hyphens, followed by a hyphen and 32 bits of a hash over all values, which keeps `Café` and
/// `Cafe` apart. If the first value has no such letter or digit, the id is the 64-bit hash alone.
enum MadeID {
  private static let readableBytes = 40
  /// The ASCII letters that replace the characters from À to ÿ; hyphens for × and ÷.
  private static let plainLetters: StaticString =
    "aaaaaaaceeeeiiiidnooooo-ouuuuytsaaaaaaaceeeeiiiidnooooo-ouuuuyty"

  /// Returns the id; nil when all of the values are missing.
  static func make(from parts: [FieldPath], _ values: RecordValues) -> String? {
    var hash = ContentHash(seed: 3)
    var readable: [UInt8] = []
    var isThere = false
    for part in parts {
      guard case .text(let text) = values.value(part, join: "\u{1F}") else {
        hash.combine(nil)
        continue
      }
      text.string.withBytes { bytes in
        if !isThere { readable = slug(bytes) }
        hash.combine(bytes)
      }
      isThere = true
    }
    if !isThere { return nil }
    let digits = hex(hash.value)
    let id = readable.isEmpty ? digits : readable + [0x2D] + digits.prefix(8)
    return String(decoding: id, as: UTF8.self)
  }

  private static func slug(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var slug: [UInt8] = []
    var lead: UInt8 = 0
    for byte in text {
      var lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
      // À to ÿ are encoded as 0xC3 and a second byte.
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
