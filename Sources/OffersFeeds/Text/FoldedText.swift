/// A text in which every digit is one of ASCII, for parsers of numbers and dates.
///
/// Full-width forms (U+FF01 to U+FF5E), which East Asian texts use for digits, signs and letters, and the
/// digits of Arabic, Persian and Devanagari become ASCII. Other characters stay as they are.
struct FoldedText {
  /// The text with ASCII digits.
  let bytes: [UInt8]
  /// For each byte the index of its character in the original text, and at the end the text's length; nil for
  /// a text that did not change.
  private let origins: [Int]?

  init(_ text: UnsafeRawBufferPointer) {
    guard let start = text.indices.first(where: { Self.findPlain(text, $0) != nil }) else {
      bytes = Array(text)
      origins = nil
      return
    }
    var bytes = Array(text[..<start])
    var origins = Array(0..<start)
    bytes.reserveCapacity(text.count)
    var index = start
    while index < text.count {
      origins.append(index)
      if let (byte, length) = Self.findPlain(text, index) {
        bytes.append(byte)
        index += length
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    self.bytes = bytes
    self.origins = origins + [text.count]
  }

  /// Calls a parser with the text, or with its folded form if that differs.
  static func read<Value>(
    _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Value
  ) -> Value {
    guard text.contains(where: isLead) else { return body(text) }
    return FoldedText(text).bytes.withUnsafeBytes(body)
  }

  /// Calls a search with the folded bytes of a text, with their lower-case form, and with a function that returns
  /// the original text of a range of these bytes.
  static func search<Finding>(
    _ text: String,
    _ find: (
      _ plain: UnsafeRawBufferPointer, _ low: UnsafeRawBufferPointer,
      _ print: (Range<Int>) -> String
    ) -> Finding
  ) -> Finding {
    text.withBytes { original in
      let folded = FoldedText(original)
      return folded.bytes.withUnsafeBytes { plain in
        folded.lowered.withUnsafeBytes { low in
          find(plain, low) { range in
            String(
              decoding: UnsafeRawBufferPointer(rebasing: original[folded.origin(of: range)]),
              as: UTF8.self)
          }
        }
      }
    }
  }

  /// The range in the original text of a range of `bytes`.
  func origin(of range: Range<Int>) -> Range<Int> {
    guard let origins else { return range }
    return origins[range.lowerBound]..<origins[range.upperBound]
  }

  /// Whether a byte may begin a character that is folded.
  private static func isLead(_ byte: UInt8) -> Bool {
    byte == 0xEF || byte == 0xD9 || byte == 0xDB || byte == 0xE0
  }

  /// The ASCII form and the length of the character at an index; nil for one that is kept.
  private static func findPlain(
    _ text: UnsafeRawBufferPointer, _ index: Int
  ) -> (byte: UInt8, length: Int)? {
    guard isLead(text[index]), index + 1 < text.count else { return nil }
    let second = text[index + 1]
    switch text[index] {
    case 0xD9 where second &- 0xA0 < 10: return (0x30 + (second - 0xA0), 2)
    case 0xD9 where second == 0xAA: return (0x25, 2)
    case 0xD9 where second == 0xAB: return (0x2E, 2)
    case 0xD9 where second == 0xAC: return (0x2C, 2)
    case 0xDB where second &- 0xB0 < 10: return (0x30 + (second - 0xB0), 2)
    default: break
    }
    guard index + 2 < text.count else { return nil }
    let third = text[index + 2]
    switch (text[index], second) {
    case (0xE0, 0xA5) where third &- 0xA6 < 10: return (0x30 + (third - 0xA6), 3)
    case (0xEF, 0xBC) where third &- 0x81 < 63: return (0x21 + (third - 0x81), 3)
    case (0xEF, 0xBD) where third &- 0x80 < 31: return (0x60 + (third - 0x80), 3)
    default: return nil
    }
  }
}

extension FoldedText {
  /// The text with its letters of ASCII and Latin-1 in lower case, and straight apostrophes of the same length
  /// where they are ASCII.
  var lowered: [UInt8] {
    var low = bytes
    for index in low.indices {
      if low[index] &- 0x41 < 26 {
        low[index] |= 0x20
      } else if index > 0, low[index - 1] == 0xC3, low[index] &- 0x80 < 31, low[index] != 0x97 {
        low[index] |= 0x20
      }
    }
    return low
  }
}

/// A phrase at a place of a lowered text.
extension CharacterScan {
  /// Whether a byte is a part of a word: a letter of ASCII, a digit, or a part of a character beyond Latin-1
  /// punctuation.
  static func isWordByte(_ byte: UInt8) -> Bool { isLetter(byte) || byte >= 0xC3 && byte != 0xE2 }

  /// The index after a phrase that begins at an index, as whole words; nil if another text is there. A space
  /// in the phrase stands for any space.
  static func findEnd(
    of phrase: StaticString, in text: UnsafeRawBufferPointer, at start: Int
  ) -> Int? {
    let words = UnsafeRawBufferPointer(
      start: phrase.utf8Start, count: phrase.utf8CodeUnitCount)
    var index = start
    for byte in words {
      if byte == 0x20 {
        let next = skipSpaces(text, from: index)
        guard next > index else { return nil }
        index = next
      } else {
        guard index < text.count, text[index] == byte else { return nil }
        index += 1
      }
    }
    guard let last = words.last, isWordByte(last) else { return index }
    // Words of Chinese, Japanese and Korean have no space after them.
    return index < text.count && isWordByte(text[index]) && !isIdeograph(words[0]) ? nil : index
  }

  /// The index of a phrase that ends at an index, as whole words; nil if another text is there.
  static func findStart(
    of phrase: StaticString, in text: UnsafeRawBufferPointer, endingAt end: Int
  ) -> Int? {
    var index = end
    for offset in stride(from: phrase.utf8CodeUnitCount - 1, through: 0, by: -1) {
      let byte = phrase.utf8Start[offset]
      if byte == 0x20 {
        let next = skipSpacesBack(text, from: index)
        guard next < index else { return nil }
        index = next
      } else {
        guard index > 0, text[index - 1] == byte else { return nil }
        index -= 1
      }
    }
    guard index > 0, isWordByte(phrase.utf8Start[0]), !isIdeograph(phrase.utf8Start[0]),
      isWordByte(text[index - 1]) || text[index - 1] & 0xC0 == 0x80
    else {
      return index
    }
    // A byte of a sign of three bytes, such as a dash, is no part of a word.
    if index >= 3, text[index - 3] == 0xE2 { return index }
    if index >= 2, text[index - 2] == 0xC2 { return index }
    return nil
  }

  private static func isIdeograph(_ byte: UInt8) -> Bool { byte >= 0xE3 }
}
