/// Classifies the characters around a printed number, in UTF-8.
enum CharacterScan {
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
  static func isCapital(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }

  /// The length in bytes of the space at an index: 1 for a space, tab or line break of ASCII, more
  /// for another space of Unicode, such as a no-break or thin one, 0 for anything else.
  static func spaceLength(_ text: UnsafeRawBufferPointer, at index: Int) -> Int {
    guard index < text.count else { return 0 }
    switch text[index] {
    case 0x20, 0x09, 0x0A, 0x0D: return 1
    case 0xC2: return index + 1 < text.count && text[index + 1] == 0xA0 ? 2 : 0
    case 0xE2:
      guard index + 2 < text.count else { return 0 }
      // U+2000 to U+200A, U+202F and U+205F.
      let isSpace =
        text[index + 1] == 0x80 && (text[index + 2] &- 0x80 < 11 || text[index + 2] == 0xAF)
        || text[index + 1] == 0x81 && text[index + 2] == 0x9F
      return isSpace ? 3 : 0
    case 0xE3:
      return CharacterScan.stands("\u{3000}", in: text, at: index) ? 3 : 0
    default: return 0
    }
  }

  /// The index after the run of spaces that begins at an index.
  static func skipSpaces(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < text.count {
      // Fast path for printable ASCII.
      if text[index] &- 0x21 < 0x5F { break }
      let length = spaceLength(text, at: index)
      if length == 0 { break }
      index += length
    }
    return index
  }

  /// The start of the run of spaces that ends at an index.
  static func skipSpacesBack(_ text: UnsafeRawBufferPointer, from end: Int) -> Int {
    var index = end
    while index > 0 {
      let byte = text[index - 1]
      if byte &- 0x21 < 0x5F { break }
      if byte == 0x20 {
        index -= 1
      } else if let length = (1...3).first(where: {
        index >= $0 && spaceLength(text, at: index - $0) == $0
      }) {
        index -= length
      } else {
        break
      }
    }
    return index
  }

  /// Whether an amount may begin at an index: at the text's start, after a space, or after an
  /// opening parenthesis.
  static func isBoundary(_ text: UnsafeRawBufferPointer, before index: Int) -> Bool {
    index == 0 || text[index - 1] == 0x28 || skipSpacesBack(text, from: index) < index
  }

  /// Whether the text ends at an index, or continues with a space or with a character such as `,`
  /// that is no part of the number or unit before it.
  static func endsPlainly(_ text: UnsafeRawBufferPointer, at index: Int) -> Bool {
    guard index < text.count else { return true }
    switch text[index] {
    case 0x28, 0x29, 0x2A, 0x2C, 0x2E, 0x3A, 0x3B, 0x21: return true
    default: return spaceLength(text, at: index) > 0
    }
  }

  /// Whether the bytes at an index are those of `text`.
  static func stands(_ text: StaticString, in bytes: UnsafeRawBufferPointer, at index: Int) -> Bool
  {
    let count = text.utf8CodeUnitCount
    guard index >= 0, bytes.count - index >= count else { return false }
    for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] { return false }
    return true
  }

  /// Whether a text equals `lower` if its ASCII letters are converted to lower case.
  static func isSame(_ text: UnsafeRawBufferPointer, _ lower: StaticString) -> Bool {
    guard text.count == lower.utf8CodeUnitCount else { return false }
    for index in 0..<text.count {
      let byte = text[index]
      if (isCapital(byte) ? byte | 0x20 : byte) != lower.utf8Start[index] { return false }
    }
    return true
  }
}

/// A sorted table of short ASCII names and their values, in one string literal.
///
/// The literal is part of the program's constant data: nothing is built at run time, and a lookup
/// is a binary search. Each cell is a name padded with spaces to `nameWidth`, a value of exactly
/// `valueWidth` bytes, and one space or line feed; the last cell has one, too.
struct StaticLookupTable {
  private let cells: StaticString
  private let nameWidth: Int
  private let valueWidth: Int

  init(_ cells: StaticString, nameWidth: Int, valueWidth: Int) {
    self.cells = cells
    self.nameWidth = nameWidth
    self.valueWidth = valueWidth
  }

  private var cellWidth: Int { nameWidth + valueWidth + 1 }

  var count: Int { cells.utf8CodeUnitCount / cellWidth }

  /// The name and value of a cell, as pointers to constant data.
  subscript(position: Int) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    let start = UnsafeRawPointer(cells.utf8Start) + position * cellWidth
    return (
      UnsafeRawBufferPointer(start: start, count: nameWidth),
      UnsafeRawBufferPointer(start: start + nameWidth, count: valueWidth)
    )
  }

  /// Finds the value of a name in the table.
  ///
  /// - Parameters:
  ///   - name: the name to look up, without padding.
  ///   - anyCase: whether the case of the name is ignored; the names in the table must then have no
  ///     capital letters.
  /// - Returns: the bytes of the value; nil for a name that is not in the table.
  func findValue(_ name: UnsafeRawBufferPointer, anyCase: Bool = false) -> UnsafeRawBufferPointer? {
    guard !name.isEmpty, name.count <= nameWidth else { return nil }
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let cell = self[middle]
      let order = compare(name, cell.name, anyCase)
      if order == 0 { return cell.value }
      if order < 0 { high = middle } else { low = middle + 1 }
    }
    return nil
  }

  private func compare(
    _ name: UnsafeRawBufferPointer, _ cell: UnsafeRawBufferPointer, _ anyCase: Bool
  ) -> Int {
    for index in 0..<nameWidth {
      var byte: UInt8 = index < name.count ? name[index] : 0x20
      if anyCase, byte &- 0x41 < 26 { byte |= 0x20 }
      // A space in the name must not match the padding.
      if index < name.count, byte <= 0x20 { return -1 }
      if byte != cell[index] { return Int(byte) - Int(cell[index]) }
    }
    return 0
  }
}
