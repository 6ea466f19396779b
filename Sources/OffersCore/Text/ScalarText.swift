/// Splits and edits texts by Unicode scalars, which for valid UTF-8 is the same as by bytes.
///
/// The standard library splits by `Character`, which is a grapheme cluster. A separator with a
/// combining mark after it is another character, and so is a line feed after a carriage return:
/// neither would be found.
extension StringProtocol {
  /// The parts between separators.
  ///
  /// - Parameters:
  ///   - maxSplits: the maximum number of splits; the last part is the rest of the text.
  ///   - omittingEmptySubsequences: whether empty parts are left out.
  package func split(
    scalar: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [Substring] {
    Substring(self).unicodeScalars.split(
      separator: scalar, maxSplits: maxSplits,
      omittingEmptySubsequences: omittingEmptySubsequences
    ).map { Substring($0) }
  }

  /// The text with each occurrence of another text replaced, compared byte by byte. An empty
  /// `target` matches nothing.
  package func replacing(bytes target: String, with replacement: String) -> String {
    let pattern = Array(target.utf8)
    let bytes = Array(utf8)
    guard let first = pattern.first, bytes.count >= pattern.count else { return String(self) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      if bytes[place] == first, bytes[place...].starts(with: pattern) {
        result += replacement.utf8
        place += pattern.count
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension String {
  /// Whether two texts are equal byte by byte. `==` compares characters: for it, a composed accent
  /// and a combining accent are equal.
  package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// Classifies bytes of UTF-8 by the ASCII characters that they are.
package enum ASCII {
  @inlinable @inline(__always)
  package static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
  }

  /// Whether a byte is a space, a tab or a line break.
  @inlinable @inline(__always)
  package static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// The value of a hexadecimal digit; nil for another byte.
  @inlinable @inline(__always)
  package static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte &- 0x30)
    case 0x41...0x46: UInt32(byte &- 0x41 &+ 10)
    case 0x61...0x66: UInt32(byte &- 0x61 &+ 10)
    default: nil
    }
  }
}

/// The texts that every store can hold: those without U+0000, which PostgreSQL does not have.
///
/// The readers of feeds replace or skip it. A text that is looked up with it is not found, because no store
/// has it, and in the words of a search it separates words.
package enum StoredText {
  /// Whether a store can have a text.
  package static func isStorable(_ text: String) -> Bool { !text.utf8.contains(0) }

  /// A text that is told to people, such as the answer of a server, with U+FFFD in place of U+0000.
  package static func mended(_ text: String?) -> String? {
    guard let text, !isStorable(text) else { return text }
    return text.replacing(bytes: "\0", with: "\u{FFFD}")
  }

  package static var refusal: OffersError {
    OffersError(.invalidRequest, "A text with the character U+0000 cannot be stored.")
  }
}

/// Arithmetic on numbers that were read or stored, which may be any: a result that the type does not
/// have becomes the nearest that it has.
extension FixedWidthInteger where Self: SignedInteger {
  /// The nearest integer below the number or at it; 0 for a number that is none.
  package init(clamped number: Double) {
    if number.isNaN {
      self = 0
    } else if number >= Double(Self.max) {
      self = .max
    } else {
      self = number <= Double(Self.min) ? .min : Self(number.rounded(.down))
    }
  }

  package func adding(clamped other: Self) -> Self {
    let (sum, isOver) = addingReportingOverflow(other)
    if !isOver { return sum }
    return other < 0 ? .min : .max
  }

  package func subtracting(clamped other: Self) -> Self {
    let (difference, isOver) = subtractingReportingOverflow(other)
    if !isOver { return difference }
    return other < 0 ? .max : .min
  }

  package func multiplied(clamped other: Self) -> Self {
    let (product, isOver) = multipliedReportingOverflow(by: other)
    if !isOver { return product }
    return (self < 0) == (other < 0) ? .max : .min
  }
}

extension Duration {
  /// A wait of a number of seconds: none for a negative number and for one that is none, at most a week.
  package static func wait(seconds: Double) -> Duration {
    .seconds(seconds.isNaN ? 0 : min(max(0, seconds), 604_800))
  }
}
