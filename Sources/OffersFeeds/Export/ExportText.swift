/// Decodes the texts of an export, in which the scanner has checked the escapes.
enum ExportText {
  /// Returns the text, or nil for one with invalid UTF-8, an unpaired surrogate, or a NUL, which
  /// would truncate it in a database.
  static func decode(
    _ start: JSONScanner.Position, _ count: Int, _ traits: JSONScanner.TextTraits
  ) -> String? {
    let raw = UnsafeBufferPointer(start: start, count: count)
    if !traits.hasEscapes {
      if !traits.hasNonASCII { return String(decoding: raw, as: UTF8.self) }
      return String(validating: raw, as: UTF8.self)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var place = 0
    while place < count {
      let byte = raw[place]
      guard byte == 0x5C else {
        bytes.append(byte)
        place += 1
        continue
      }
      switch raw[place + 1] {
      case 0x6E: bytes.append(0x0A)
      case 0x72: bytes.append(0x0D)
      case 0x74: bytes.append(0x09)
      case 0x62: bytes.append(0x08)
      case 0x66: bytes.append(0x0C)
      case 0x75:
        guard let scalar = scalar(raw, &place) else { return nil }
        bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        continue
      case let other: bytes.append(other)
      }
      place += 2
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Decodes a character from one `\u` escape, or from two that are a surrogate pair, and moves
  /// past it; nil for an unpaired surrogate and for NUL.
  private static func scalar(
    _ raw: UnsafeBufferPointer<UInt8>, _ place: inout Int
  ) -> Unicode.Scalar? {
    let first = unit(raw, place + 2)
    place += 6
    if first == 0 { return nil }
    guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first) }
    guard place + 6 <= raw.count, raw[place] == 0x5C, raw[place + 1] == 0x75 else { return nil }
    let second = unit(raw, place + 2)
    guard second & 0xFC00 == 0xDC00 else { return nil }
    place += 6
    return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
  }

  private static func unit(_ raw: UnsafeBufferPointer<UInt8>, _ place: Int) -> UInt32 {
    (place..<place + 4).reduce(0) { $0 << 4 | (JSONScanner.hexDigit(raw[$1]) ?? 0) }
  }
}
