import OffersCore

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
      ASCII.isLetterOrDigit(html[index])
    {
      index += 1
    }
    let name = UnsafeRawBufferPointer(rebasing: html[(start + 1)..<index])
    guard let scalar = HTMLEntities.findScalar(name) else { return nil }
    if index < html.count, html[index] == 0x3B { return (scalar, index + 1) }
    // The parameters of a URL resemble references without a semicolon: ?a=1&copy=2, &region=2.
    if index < html.count, html[index] == 0x3D || ASCII.isLetterOrDigit(html[index]) { return nil }
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
    let (number, end) = readNumber(in: html, from: start)
    guard let number else { return nil }
    return (character(of: number), end < html.count && html[end] == 0x3B ? end + 1 : end)
  }

  /// Reads the digits of a numeric reference, which are hexadecimal after an `x`.
  ///
  /// - Returns: the number, or nil if there are no digits, and the index after them. A number beyond
  ///   the last scalar is clamped.
  static func readNumber(
    in text: UnsafeRawBufferPointer, from start: Int
  ) -> (number: UInt32?, end: Int) {
    let isHexadecimal = start < text.count && text[start] | 0x20 == 0x78
    var index = isHexadecimal ? start + 1 : start
    var number: UInt32?
    while index < text.count, let digit = ASCII.hexDigit(text[index]), isHexadecimal || digit < 10 {
      number = min((number ?? 0) * (isHexadecimal ? 16 : 10) + digit, 0x11_0000)
      index += 1
    }
    return (number, index)
  }

  /// Returns the character that browsers show for a number.
  ///
  /// Source: HTML Standard, numeric character reference end state.
  static func character(of number: UInt32) -> UInt32 {
    switch number {
    case 0x80...0x9F: SingleByteDecoder.windows1252Controls[Int(number - 0x80)]
    case 0, 0xD800...0xDFFF, 0x11_0000...: 0xFFFD
    default: number
    }
  }
}
