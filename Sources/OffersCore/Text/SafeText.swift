/// Texts of others, such as those of feeds and servers, made harmless for the place where they are shown.
package enum SafeText {
  /// Whether a character could control a terminal or reorder a line: C0 controls and DEL, C1 controls,
  /// bidirectional controls, line and paragraph separators, U+FEFF and tag characters, but neither a tab nor a
  /// line feed.
  package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0x00..<0x20, 0x7F..<0xA0: true
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    case 0xE0000...0xE007F: true
    default: false
    }
  }

  /// The most scalars of a character on average. A character may have any number of combining marks.
  private static let scalarsPerCharacter = 4

  /// The text in one line, without harmful characters. Each run of white space, with the harmful characters
  /// in it, becomes a space; at the start and the end it is removed.
  ///
  /// - Parameter characters: the most characters. A longer text is cut off, and ends with `…`.
  package static func line(_ text: String, characters: Int) -> String {
    var scalars = String.UnicodeScalarView()
    var isGap = false
    // The rest of a long text cannot be in the line.
    let limit = (characters + 1) * scalarsPerCharacter
    for scalar in text.unicodeScalars {
      if isHarmful(scalar) || scalar.properties.isWhitespace {
        // A bidirectional control stands between letters of one word; a line end does not.
        isGap = isGap || scalar.properties.isWhitespace || scalar.value < 0x20
        continue
      }
      if isGap, !scalars.isEmpty { scalars.append(" ") }
      isGap = false
      scalars.append(scalar)
      if scalars.count > limit { break }
    }
    let line = String(scalars)
    guard line.count > characters || scalars.count > limit else { return line }
    var start = String(line.prefix(characters - 1))
    while start.unicodeScalars.count >= limit { start.unicodeScalars.removeLast() }
    while start.last == " " { start.removeLast() }
    return start + "…"
  }

  /// The text for HTML, in elements and in quoted attributes. Its markup is text.
  ///
  /// It works on bytes. A quote followed by a combining accent is a single character that differs from a
  /// quote, would not be escaped, and would end an attribute.
  package static func html(_ text: String) -> String {
    guard text.utf8.contains(where: isSpecial) else { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 32)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      case 0x09, 0x0A, 0x0D: bytes.append(byte)
      // HTML forbids all other control characters.
      case ..<0x20, 0x7F: bytes += "\u{FFFD}".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "\""),
      UInt8(ascii: "'"), 0x7F:
      true
    case 0x09, 0x0A, 0x0D: false
    default: byte < 0x20
    }
  }
}
