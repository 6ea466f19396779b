/// Decodes the escapes of JSON texts.
package enum JSONEscapes {
  /// The text with its escapes replaced by their characters.
  ///
  /// - Parameter raw: the text between its quotes, with valid escapes.
  /// - Returns: the decoded bytes, in which U+FFFD replaces unpaired surrogates, and whether there were
  ///   none.
  package static func decode(_ raw: UnsafeRawBufferPointer) -> (text: [UInt8], isValid: Bool) {
    var text: [UInt8] = []
    text.reserveCapacity(raw.count)
    var isValid = true
    var place = 0
    while place < raw.count {
      guard raw[place] == 0x5C, place + 1 < raw.count else {
        text.append(raw[place])
        place += 1
        continue
      }
      place += 2
      switch raw[place - 1] {
      case 0x6E: text.append(0x0A)
      case 0x72: text.append(0x0D)
      case 0x74: text.append(0x09)
      case 0x62: text.append(0x08)
      case 0x66: text.append(0x0C)
      case 0x75:
        let scalar = scalar(raw, &place)
        if scalar == nil { isValid = false }
        text += UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
      case let other: text.append(other)
      }
    }
    return (text, isValid)
  }

  /// The character of the four digits at `place`, or of two escapes that are a surrogate pair, and moves
  /// past them; nil for an unpaired surrogate.
  private static func scalar(_ raw: UnsafeRawBufferPointer, _ place: inout Int) -> Unicode.Scalar? {
    let first = unit(raw, &place)
    guard first & 0xFC00 == 0xD800, place + 1 < raw.count, raw[place] == 0x5C,
      raw[place + 1] == 0x75
    else { return Unicode.Scalar(first) }
    var end = place + 2
    let second = unit(raw, &end)
    guard second & 0xFC00 == 0xDC00 else { return nil }
    place = end
    return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
  }

  private static func unit(_ raw: UnsafeRawBufferPointer, _ place: inout Int) -> UInt32 {
    let digits = raw[place..<min(place + 4, raw.count)]
    place += digits.count
    return digits.reduce(0) { $0 << 4 | (ASCII.hexDigit($1) ?? 0) }
  }
}
