import Foundation

/// The letters of words, without case and accents.
enum WordLetters {
  /// The meaning of a character for words.
  enum Folded {
    /// A letter or digit that stands for one.
    case letter(Unicode.Scalar)
    /// A letter that stands for several.
    case letters(String)
    /// A combining mark, which belongs to the letter before it and is ignored, or a character that
    /// nobody sees.
    case mark
    case separator
  }

  static func fold(_ scalar: Unicode.Scalar) -> Folded {
    scalar.value < tableEnd ? table[Int(scalar.value)] : make(scalar)
  }

  /// The characters of nearly all texts in Latin, Greek, Cyrillic, Hebrew and Arabic script are looked
  /// up, because Foundation's normalization is slow.
  private static let tableEnd: UInt32 = 0x2000
  private static let table = (0..<tableEnd).map { value in
    Unicode.Scalar(value).map(make) ?? .separator
  }

  private static func make(_ scalar: Unicode.Scalar) -> Folded {
    if scalar.properties.generalCategory == .nonspacingMark || UnseenCharacters.contain(scalar) {
      return .mark
    }
    guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else {
      return .separator
    }
    let plain = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      $0.properties.generalCategory != .nonspacingMark
    }
    let folded = String(String.UnicodeScalarView(plain)).lowercased()
    let scalars = folded.unicodeScalars
    if let only = scalars.first, scalars.count == 1 { return .letter(only) }
    return folded.isEmpty ? .mark : .letters(folded)
  }
}
