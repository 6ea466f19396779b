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
  /// Whether a byte begins a character of a word: a letter of ASCII, or a character beyond the punctuation of
  /// Latin-1. The other bytes of such a character are none.
  static func isWordByte(_ byte: UInt8) -> Bool { isLetter(byte) || byte >= 0xC3 && byte != 0xE2 }

  /// The scripts of words: alphabets, whose words have other characters around them, and the characters of East
  /// Asia.
  private enum Script { case alphabet, eastAsian }

  /// The script of the character that begins at an index; nil for one that is no part of a word.
  private static func script(_ text: UnsafeRawBufferPointer, at index: Int) -> Script? {
    guard index < text.count, isWordByte(text[index]) else { return nil }
    if !isIdeograph(text[index]) { return stands("×", in: text, at: index) ? nil : .alphabet }
    // U+3000 to U+303F are spaces and punctuation.
    let isMark = text[index] == 0xE3 && index + 1 < text.count && text[index + 1] == 0x80
    return isMark ? nil : .eastAsian
  }

  /// The first byte of the character before an index; nil at the start of the text.
  private static func characterStart(_ text: UnsafeRawBufferPointer, before index: Int) -> Int? {
    guard index > 0 else { return nil }
    var start = index - 1
    while start > 0, start > index - 4, text[start] & 0xC0 == 0x80 { start -= 1 }
    return start
  }

  /// Whether the character before an index is a letter of an alphabet, so that no word begins there.
  static func isInWord(_ text: UnsafeRawBufferPointer, at index: Int) -> Bool {
    guard let start = characterStart(text, before: index) else { return false }
    return script(text, at: start) == .alphabet
  }

  /// The index after the characters of one script that begin at an index.
  static func wordEnd(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard let first = script(text, at: start) else { return start }
    var index = start
    while script(text, at: index) == first {
      index += 1
      while index < text.count, text[index] & 0xC0 == 0x80 { index += 1 }
    }
    return index
  }

  /// The start of the characters of one script that end at an index.
  static func wordStart(_ text: UnsafeRawBufferPointer, endingAt end: Int) -> Int {
    var index = end
    var last: Script?
    while let start = characterStart(text, before: index), let script = script(text, at: start),
      script == last ?? script
    {
      (index, last) = (start, script)
    }
    return index
  }

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
    // Words of Chinese, Japanese and Korean have no space around them.
    let goesOn = isInWord(words, at: words.count) && script(text, at: index) == .alphabet
    return goesOn ? nil : index
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
    let isWord =
      isWordByte(phrase.utf8Start[0]) && !isIdeograph(phrase.utf8Start[0])
    return isWord && isInWord(text, at: index) ? nil : index
  }

  private static func isIdeograph(_ byte: UInt8) -> Bool { byte >= 0xE3 }
}
