import Foundation

/// The collation of names: case, accents and signs such as ® are ignored, and digits compare by
/// their numeric value.
///
/// The comparison works in place on UTF-8, without allocations, because a list may have a million
/// names. ASCII is folded directly, other letters by a lookup table that is built on first use.
/// Chinese, Japanese and Korean characters are ordered by code point.
package enum NaturalOrder {
  /// Returns a number below, equal to or above zero when the left text sorts before, with or after
  /// the right one.
  package static func compare(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Int {
    var left = Letters(left)
    var right = Letters(right)
    while true {
      guard let first = left.next() else { return right.next() == nil ? 0 : -1 }
      guard let second = right.next() else { return 1 }
      if isDigit(first), isDigit(second) {
        let order = compareNumbers(&left, first, &right, second)
        if order != 0 { return order }
      } else if first != second {
        return first < second ? -1 : 1
      }
    }
  }

  /// Compares two texts, with the same result as for their bytes.
  package static func compare(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
    }
  }

  /// Whether two texts are equal in this order.
  package static func isSame(_ left: String, _ right: String) -> Bool { compare(left, right) == 0 }

  /// Compares two numbers whose first digits have already been read.
  private static func compareNumbers(
    _ left: inout Letters, _ first: UInt32, _ right: inout Letters, _ second: UInt32
  ) -> Int {
    var (one, other) = (first, second)
    while one == zero, let next = left.nextDigit() { one = next }
    while other == zero, let next = right.nextDigit() { other = next }
    // Without leading zeros, the longer number is larger; in numbers of equal length, the first
    // digit that differs decides.
    var order = one == other ? 0 : one < other ? -1 : 1
    while true {
      switch (left.nextDigit(), right.nextDigit()) {
      case (nil, nil): return order
      case (nil, _): return -1
      case (_, nil): return 1
      case (let one?, let other?): if order == 0, one != other { order = one < other ? -1 : 1 }
      }
    }
  }

  private static let zero: UInt32 = 0x30

  private static func isDigit(_ letter: UInt32) -> Bool { letter &- zero < 10 }

  /// Iterates over the folded letters of a text, without the ignored ones.
  private struct Letters {
    private let text: UnsafeRawBufferPointer
    private var index = 0
    /// The second letter of a folded pair, such as the second `s` of `ß`; 0 for none.
    private var pending: UInt32 = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    @inline(__always)
    mutating func next() -> UInt32? {
      while true {
        if pending != 0 {
          defer { pending = 0 }
          return pending
        }
        guard index < text.count else { return nil }
        let byte = text[index]
        if byte < 0x80 {
          index += 1
          return UInt32(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        }
        let folded = FoldedLetters.fold(takeScalar())
        if folded == 0 { continue }
        if folded & FoldedLetters.pairMark == 0 { return folded }
        pending = folded >> 8 & 0xFF
        return folded & 0xFF
      }
    }

    /// Takes the next letter if it is a digit; otherwise returns nil.
    mutating func nextDigit() -> UInt32? {
      guard pending == 0, index < text.count, text[index] &- 0x30 < 10 else { return nil }
      defer { index += 1 }
      return UInt32(text[index])
    }

    /// Decodes the scalar at a non-ASCII byte; a byte that begins none yields U+FFFD.
    private mutating func takeScalar() -> UInt32 {
      let lead = text[index]
      index += 1
      let count = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0
      guard count > 0, index + count <= text.count else { return 0xFFFD }
      var scalar = UInt32(lead) & (0x3F >> UInt32(count))
      for _ in 0..<count {
        scalar = scalar << 6 | UInt32(text[index] & 0x3F)
        index += 1
      }
      return scalar
    }
  }
}

/// A lookup table of letters without case and accents.
private enum FoldedLetters {
  /// Marks a value that holds two ASCII letters: the first in the lowest byte, the second above it.
  static let pairMark: UInt32 = 1 << 31

  /// The folded letter, a marked pair of letters, or 0 for a character that is ignored.
  static func fold(_ scalar: UInt32) -> UInt32 {
    if scalar < latinEnd { return latin[Int(scalar)] }
    if scalar < tableEnd { return table[Int(scalar)] }
    // Full-width variants of ASCII characters are folded to ASCII.
    if (0xFF01...0xFF5E).contains(scalar) {
      let letter = scalar - 0xFEE0
      return letter &- 0x41 < 26 ? letter | 0x20 : letter
    }
    return (0xFE00...0xFE0F).contains(scalar) || scalar == 0xFEFF ? 0 : scalar
  }

  /// Two tables: the small one covers most names and is cheap to build.
  private static let latinEnd: UInt32 = 0x250
  private static let tableEnd: UInt32 = 0x3000
  private static let latin = (0..<latinEnd).map(make)
  private static let table = (0..<tableEnd).map(make)

  private static func make(_ value: UInt32) -> UInt32 {
    guard let scalar = Unicode.Scalar(value) else { return value }
    if let special = special(scalar) { return special }
    let text = String(Character(scalar)).decomposedStringWithCanonicalMapping
    guard let base = text.unicodeScalars.first else { return 0 }
    switch base.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    case .dashPunctuation: return 0x2D
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: return 0x20
    default: break
    }
    let lower = base.properties.lowercaseMapping.decomposedStringWithCanonicalMapping
    return lower.unicodeScalars.first?.value ?? value
  }

  /// Ignored signs, typographic quotes, and letters without a canonical decomposition.
  private static func special(_ scalar: Unicode.Scalar) -> UInt32? {
    switch scalar {
    case "®", "™", "©", "℠", "℗": 0
    case "‘", "’", "‚", "‛", "′": 0x27
    case "“", "”", "„", "‟", "″": 0x22
    case "ß", "ẞ": pair("s", "s")
    case "Æ", "æ", "Ǽ", "ǽ", "Ǣ", "ǣ": pair("a", "e")
    case "Œ", "œ": pair("o", "e")
    case "Þ", "þ": pair("t", "h")
    case "Ø", "ø", "Ǿ", "ǿ": 0x6F
    case "Đ", "đ", "Ð", "ð": 0x64
    case "Ħ", "ħ": 0x68
    case "Ł", "ł": 0x6C
    case "Ŧ", "ŧ": 0x74
    case "ı": 0x69
    case "ς": 0x3C3
    default: nil
    }
  }

  private static func pair(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> UInt32 {
    pairMark | second.value << 8 | first.value
  }
}

extension NaturalOrder {
  /// A key whose bytes are ordered as the texts are, for stores that compare bytes: two keys are equal
  /// if the texts are equal in this order.
  package static func key(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var letters = Letters(text)
    var key: [UInt8] = []
    key.reserveCapacity(text.count + 4)
    while let letter = letters.next() {
      if isDigit(letter) {
        appendNumber(letter, &letters, to: &key)
      } else if letter < 0x80 {
        key.append(UInt8(letter))
      } else if let scalar = Unicode.Scalar(letter), let bytes = UTF8.encode(scalar) {
        // UTF-8 keeps the order of code points.
        key.append(contentsOf: bytes)
      }
    }
    return key
  }

  /// The key of a text; see `key(_:)`.
  package static func key(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { key(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a number, whose first digit has been read: a digit, which compares with other letters as
  /// any digit does, the number's length without leading zeros, and its digits.
  private static func appendNumber(
    _ first: UInt32, _ letters: inout Letters, to key: inout [UInt8]
  ) {
    var digits: [UInt8] = []
    var digit: UInt32? = first
    while let next = digit {
      if digits == [UInt8(zero)] { digits = [] }
      digits.append(UInt8(next))
      digit = letters.nextDigit()
    }
    key.append(UInt8(zero))
    key += [UInt8](repeating: separator - 1, count: digits.count / lengthBase)
    key.append(UInt8(digits.count % lengthBase))
    key += digits
  }

  /// Lengths of numbers are written in this base, so that no byte of a key is `separator`.
  private static let lengthBase = Int(separator) - 1

  /// A byte that no key has: UTF-8 has none of this value.
  private static let separator: UInt8 = 0xFF

  /// The keys of several texts as one, such as those of the categories of an offer: before, between and
  /// after them stands a byte that no key has, so that `element(_:)` is found in it.
  package static func keys(_ texts: [String]) -> [UInt8] {
    texts.reduce(into: [separator]) { $0 += key($1) + [separator] }
  }

  /// The bytes that `keys(_:)` of several texts contain if one of the texts is equal to `text` in this
  /// order.
  package static func element(_ text: String) -> [UInt8] {
    keys([text])
  }
}
