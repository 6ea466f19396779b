/// Character references: `&amp;`, `&#38;`, `&#x26;`.
extension HTMLMarkupReader {
  /// Reads the reference at an ampersand, and appends its character. An ampersand that begins no
  /// reference is appended as text.
  ///
  /// - Returns: the index after the reference or the ampersand.
  static func readReference(
    _ html: UnsafeRawBufferPointer, at start: Int, _ lines: inout PlainTextWriter,
    _ out: inout [UInt8]
  ) -> Int {
    guard let (scalar, end) = findReference(html, at: start) else {
      lines.append(html, start..<(start + 1), to: &out)
      return start + 1
    }
    lines.append(scalar: scalar, to: &out)
    return end
  }

  private static func findReference(
    _ html: UnsafeRawBufferPointer, at start: Int
  ) -> (UInt32, Int)? {
    var index = start + 1
    if index < html.count, html[index] == 0x23 { return findNumber(html, from: index + 1) }
    while index < html.count, index - start <= HTMLEntities.longestName,
      isLetterOrDigit(html[index])
    {
      index += 1
    }
    let name = UnsafeRawBufferPointer(rebasing: html[(start + 1)..<index])
    guard let scalar = HTMLEntities.findScalar(name) else { return nil }
    if index < html.count, html[index] == 0x3B { return (scalar, index + 1) }
    // The parameters of a URL resemble references without a semicolon: ?a=1&copy=2, &region=2.
    if index < html.count, html[index] == 0x3D || isLetterOrDigit(html[index]) { return nil }
    return canLackEnd(scalar) ? (scalar, index) : nil
  }

  /// Whether a character's name is accepted without a semicolon: `quot`, `amp`, `lt`, `gt`, `nbsp`,
  /// `copy` and `reg`.
  private static func canLackEnd(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x22, 0x26, 0x3C, 0x3E, 0xA0, 0xA9, 0xAE: true
    default: false
    }
  }

  private static func findNumber(
    _ html: UnsafeRawBufferPointer, from start: Int
  ) -> (UInt32, Int)? {
    var index = start
    let isHexadecimal = index < html.count && html[index] | 0x20 == 0x78
    if isHexadecimal { index += 1 }
    let first = index
    var value: UInt32 = 0
    while index < html.count, let digit = digit(html[index], isHexadecimal) {
      // Values beyond the last scalar are clamped, to prevent an overflow.
      value = min(value * (isHexadecimal ? 16 : 10) + digit, 0x11_0000)
      index += 1
    }
    guard index > first else { return nil }
    if index < html.count, html[index] == 0x3B { index += 1 }
    return (character(of: value), index)
  }

  private static func digit(_ byte: UInt8, _ isHexadecimal: Bool) -> UInt32? {
    if byte &- 0x30 < 10 { return UInt32(byte &- 0x30) }
    let letter = (byte | 0x20) &- 0x61
    return isHexadecimal && letter < 6 ? UInt32(letter) + 10 : nil
  }

  /// Returns the character that browsers show for a number.
  ///
  /// Source: HTML Standard, numeric character reference end state.
  static func character(of number: UInt32) -> UInt32 {
    switch number {
    case 0x80...0x9F:
      let cell = Int(number - 0x80) * 5
      var value: UInt32 = 0
      for offset in cell..<(cell + 4) {
        let byte = windows1252.utf8Start[offset]
        value = value << 4 | UInt32(byte < 0x40 ? byte - 0x30 : byte - 0x37)
      }
      return value
    case 0, 0xD800...0xDFFF, 0x11_0000...: return 0xFFFD
    default: return number
    }
  }

  /// The characters of windows-1252 from 0x80 to 0x9F, as four hexadecimal digits each. An
  /// undefined one is the number itself.
  private static var windows1252: StaticString {
    """
    20AC 0081 201A 0192 201E 2026 2020 2021 02C6 2030 0160 2039 0152 008D 017D 008F
    0090 2018 2019 201C 201D 2022 2013 2014 02DC 2122 0161 203A 0153 009D 017E 0178
    """
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
  }
}
