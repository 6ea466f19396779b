/// A position in a written date, with parsers for its parts.
///
/// A successful parser advances the position. A failed one may have advanced it; the caller gives
/// up or restarts from a copy.
struct DateCursor {
  private let text: UnsafeRawBufferPointer
  private(set) var index = 0

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
  }

  var isAtEnd: Bool { index == text.count }
  var next: UInt8? { index < text.count ? text[index] : nil }
  private var isAtDigit: Bool { index < text.count && text[index] &- 0x30 < 10 }

  mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  mutating func skipSpaces() -> Bool {
    let start = index
    while let byte = next {
      if byte == 0x20 || byte == 0x09 {
        index += 1
      } else if byte >= 0x80, case let length = CharacterScan.spaceLength(text, at: index),
        length > 0
      {
        index += length
      } else {
        break
      }
    }
    return index > start
  }

  /// Parses exactly `count` digits; more digits may follow.
  mutating func takeDigits(_ count: Int) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard isAtDigit else { return nil }
      value = value * 10 + Int(text[index] - 0x30)
      index += 1
    }
    return value
  }

  /// Parses a run of digits whose length is in a range.
  mutating func takeNumber(_ counts: ClosedRange<Int>) -> (value: Int, count: Int)? {
    let start = index
    var value = 0
    while isAtDigit {
      guard index - start < counts.upperBound else { return nil }
      value = value * 10 + Int(text[index] - 0x30)
      index += 1
    }
    return index - start >= counts.lowerBound ? (value, index - start) : nil
  }

  /// Parses a run of ASCII letters, which may be empty.
  mutating func takeWord() -> UnsafeRawBufferPointer {
    let start = index
    while let byte = next, (byte | 0x20) &- 0x61 < 26 { index += 1 }
    return UnsafeRawBufferPointer(rebasing: text[start..<index])
  }

  /// Parses a run of letters of ASCII and Latin-1 and looks it up without their accents, in any case;
  /// returns the value in the table, or nil if the table does not have the word.
  mutating func takeName(in table: StaticLookupTable) -> UnsafeRawBufferPointer? {
    let word = takeWord()
    guard next == 0xC3 else { return table.findValue(word, anyCase: true) }
    var letters = Array(word)
    while index < text.count {
      if (text[index] | 0x20) &- 0x61 < 26 {
        letters.append(text[index])
        index += 1
      } else if text[index] == 0xC3, index + 1 < text.count,
        let letter = Self.plainLetter(text[index + 1])
      {
        letters.append(letter)
        index += 2
      } else {
        break
      }
    }
    return letters.withUnsafeBytes { table.findValue($0, anyCase: true) }
  }

  /// The letter without its accent of a letter in U+00C0 to U+00FF, whose second byte in UTF-8 is
  /// given; nil for other letters.
  private static func plainLetter(_ byte: UInt8) -> UInt8? {
    switch byte | 0x20 {
    case 0xA0...0xA5: UInt8(ascii: "a")
    case 0xA8...0xAB: UInt8(ascii: "e")
    case 0xAC...0xAF: UInt8(ascii: "i")
    case 0xB2...0xB6: UInt8(ascii: "o")
    case 0xB9...0xBC: UInt8(ascii: "u")
    default: nil
    }
  }

  /// Parses one of the words of a table, with spaces after it; the position is unchanged if another
  /// text is there.
  mutating func skipWord(in table: StaticLookupTable) {
    var ahead = self
    if ahead.takeName(in: table) != nil, ahead.skipSpaces() { self = ahead }
  }

  /// Parses the fraction of a second, if there is one.
  ///
  /// - Returns: whether it is greater than zero, false for no fraction; nil for a separator without
  ///   a digit after it.
  mutating func takeFraction() -> Bool? {
    guard next == 0x2E || next == 0x2C else { return false }
    index += 1
    guard isAtDigit else { return nil }
    var isPositive = false
    while isAtDigit {
      if text[index] != 0x30 { isPositive = true }
      index += 1
    }
    return isPositive
  }

  /// Skips a comment in parentheses that extends from here to the end of the text, and has no other
  /// parentheses in it (RFC 2822, section 3.2.3).
  mutating func skipClosingComment() {
    guard next == 0x28, text[text.count - 1] == 0x29,
      !text[(index + 1)..<(text.count - 1)].contains(where: { $0 == 0x28 || $0 == 0x29 })
    else { return }
    index = text.count
  }
}
