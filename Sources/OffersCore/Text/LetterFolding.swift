import Foundation

/// Letters without case and accents, as the words of searches and the keys of names have them.
///
/// ß is ss, æ is ae, a ligature is its letters, a full-width character is its narrow form, a Korean syllable
/// is its letters. Accents and characters that nobody sees are left out. Words and names differ in signs
/// only: a word ends at each sign, while a name keeps them, all dashes, spaces and quotes of a kind as one,
/// but for ® and its like.
///
/// The stores keep folded texts. A change of the folding needs a migration that makes them anew.
package enum LetterFolding {
  /// The case folding of a character: its folded scalars, and whether the character is part of a word.
  package struct Folded {
    /// Up to three Unicode scalars of 21 bits, the first one lowest, and the two marks.
    private let bits: UInt64

    private static let letterMark: UInt64 = 1 << 63
    private static let signMark: UInt64 = 1 << 62
    private static let scalarBits: UInt64 = 0x1F_FFFF

    /// An accent, which belongs to the letter before it, or a character that nobody sees.
    static let unseen = Folded(bits: 0)
    /// A sign that names leave out.
    static let silentSign = Folded(bits: signMark)
    /// The most scalars that stand for a character.
    static let limit = 3

    private init(bits: UInt64) { self.bits = bits }

    /// - Parameters:
    ///   - scalars: what stands for the character; at most `limit`.
    ///   - isLetter: whether the character is part of a word.
    init(_ scalars: [UInt32], isLetter: Bool) {
      bits =
        scalars.reversed().reduce(0) { $0 << 21 | UInt64($1) }
        | (isLetter ? Self.letterMark : Self.signMark)
    }

    @inline(__always)
    init(_ scalar: UInt32, isLetter: Bool) {
      bits = UInt64(scalar) | (isLetter ? Self.letterMark : Self.signMark)
    }

    /// Whether the character is an accent or one that nobody sees; a word does not end at it.
    @inline(__always) package var isUnseen: Bool { bits == 0 }
    /// Whether the character is part of a word: a letter or a digit.
    @inline(__always) package var isLetter: Bool { bits & Self.letterMark != 0 }
    /// The folded scalars of the character; none for an unseen one.
    @inline(__always) var scalars: Scalars {
      Scalars(rest: bits & ~(Self.letterMark | Self.signMark))
    }
    /// The folded scalars as a text, as the keys of names have them.
    package var text: String {
      var scalars = scalars
      var text = ""
      while let value = scalars.next() {
        if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
      }
      return text
    }

    /// The scalars that are left to be read.
    struct Scalars {
      fileprivate var rest: UInt64 = 0

      @inline(__always)
      mutating func next() -> UInt32? {
        if rest == 0 { return nil }
        defer { rest >>= 21 }
        return UInt32(rest & Folded.scalarBits)
      }
    }
  }

  /// The case folding of a Unicode scalar.
  package static func fold(_ scalar: UInt32) -> Folded {
    if scalar < latinEnd { return latin[Int(scalar)] }
    if scalar < westernEnd { return western[Int(scalar - latinEnd)] }
    if scalar < tableEnd { return table[Int(scalar - westernEnd)] }
    if ideographs.contains(scalar) { return Folded(scalar, isLetter: true) }
    if kana.contains(scalar) { return kanaTable[Int(scalar - kana.lowerBound)] }
    if syllables.contains(scalar) { return syllable(scalar - syllables.lowerBound) }
    return make(scalar)
  }

  /// The letters of most texts are looked up, because Foundation's normalization is slow. Each table is made
  /// when it is first needed: most texts need the first one only. The second one has accents, Greek, Cyrillic
  /// and Hebrew.
  private static let latinEnd: UInt32 = 0x250
  private static let westernEnd: UInt32 = 0x600
  private static let tableEnd: UInt32 = 0x2000
  private static let kana: Range<UInt32> = 0x3040..<0x3100
  private static let latin = (0..<latinEnd).map(make)
  private static let western = (latinEnd..<westernEnd).map(make)
  private static let table = (westernEnd..<tableEnd).map(make)
  private static let kanaTable = kana.map(make)

  /// The Chinese characters, without those that stand for others.
  private static let ideographs: Range<UInt32> = 0x3400..<0xA000
  private static let syllables: Range<UInt32> = 0xAC00..<0xD7A4

  /// The letters of a Korean syllable. https://www.unicode.org/versions/latest/core-spec/chapter-3/#G56669
  private static func syllable(_ number: UInt32) -> Folded {
    let last = number % 28
    let letters = [0x1100 + number / 588, 0x1161 + number % 588 / 28]
    return Folded(last == 0 ? letters : letters + [0x11A7 + last], isLetter: true)
  }

  private static func make(_ value: UInt32) -> Folded {
    guard let scalar = Unicode.Scalar(value) else { return Folded(0xFFFD, isLetter: false) }
    // These have no decomposition, and looking for one takes long.
    if scalar.properties.isUnifiedIdeograph { return Folded(value, isLetter: true) }
    let isLetter = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return .unseen
    case .control where value >= 0x80: return .silentSign
    case .dashPunctuation: return Folded(0x2D, isLetter: false)
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: return Folded(0x20, isLetter: false)
    case .otherSymbol where "®™©℠℗".unicodeScalars.contains(scalar): return .silentSign
    default:
      if let sign = plainQuote(scalar) { return Folded(sign, isLetter: false) }
      // The usual signs are not made of others.
      if !isLetter, (0x2010..<0x2190).contains(value) || value >= 0x1_F000 {
        return Folded(value, isLetter: false)
      }
    }
    let plain = decomposed(scalar)
    // The letter decides, which full-width digits and signs are made of.
    let isPart = isWide(value) ? plain.contains(where: \.properties.isLetterOrDigit) : isLetter
    let letters = plain.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
      .filter { $0.properties.generalCategory != .nonspacingMark }
      .flatMap { plainLetters($0)?.unicodeScalars.map(\.value) ?? [$0.value] }
    if letters.isEmpty { return .unseen }
    return Folded(letters.count > Folded.limit ? [value] : letters, isLetter: isPart)
  }

  /// Whether a character is the full-width form of an ASCII one.
  private static func isWide(_ value: UInt32) -> Bool { (0xFF01...0xFF5E).contains(value) }

  /// A character without its accents. Letters, such as ligatures, are taken for those that are read the same,
  /// unless these have other characters, such as spaces, in between.
  private static func decomposed(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    func withoutMarks(_ text: String) -> [Unicode.Scalar] {
      text.unicodeScalars.filter { $0.properties.generalCategory != .nonspacingMark }
    }
    let text = String(Character(scalar))
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: break
    default:
      if !isWide(scalar.value) { return withoutMarks(text.decomposedStringWithCanonicalMapping) }
    }
    let letters = withoutMarks(text.decomposedStringWithCompatibilityMapping)
    if letters.count <= Folded.limit,
      isWide(scalar.value) || letters.allSatisfy(\.properties.isLetterOrDigit)
    {
      return letters
    }
    return withoutMarks(text.decomposedStringWithCanonicalMapping)
  }

  /// The letters that are written for a small one that Unicode does not decompose; nil for others.
  private static func plainLetters(_ scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "ß": "ss"
    case "æ": "ae"
    case "œ": "oe"
    case "þ": "th"
    case "ø": "o"
    case "đ", "ð": "d"
    case "ħ": "h"
    case "ł": "l"
    case "ŧ": "t"
    case "ı": "i"
    case "ς": "σ"
    default: nil
    }
  }

  private static func plainQuote(_ scalar: Unicode.Scalar) -> UInt32? {
    switch scalar {
    case "‘", "’", "‚", "‛", "′": 0x27
    case "“", "”", "„", "‟", "″": 0x22
    default: nil
    }
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isLetterOrDigit: Bool { isAlphabetic || numericType != nil }
}

/// Reads the characters of a text in UTF-8, folded, one after another and without allocations.
struct FoldedReader {
  private let text: UnsafeRawBufferPointer
  /// The place of the next character, in bytes.
  private(set) var place = 0

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  @inline(__always)
  mutating func next() -> LetterFolding.Folded? {
    guard place < text.count else { return nil }
    if let letter = nextASCII() {
      return LetterFolding.Folded(letter, isLetter: letter &- 0x61 < 26 || letter &- 0x30 < 10)
    }
    return LetterFolding.fold(takeScalar())
  }

  /// Reads the next character if it is an ASCII one, for which itself stands, or its small letter.
  @inline(__always)
  mutating func nextASCII() -> UInt32? {
    guard place < text.count else { return nil }
    let byte = text[place]
    if byte >= 0x80 { return nil }
    place += 1
    return UInt32(byte &- 0x41 < 26 ? byte | 0x20 : byte)
  }

  /// Decodes the scalar at a non-ASCII byte; a byte that begins none yields U+FFFD.
  private mutating func takeScalar() -> UInt32 {
    let lead = text[place]
    place += 1
    let count = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0
    guard count > 0, place + count <= text.count else { return 0xFFFD }
    var scalar = UInt32(lead) & (0x3F >> UInt32(count))
    for _ in 0..<count {
      scalar = scalar << 6 | UInt32(text[place] & 0x3F)
      place += 1
    }
    return scalar
  }
}

/// A word of a text.
package struct WordToken: Sendable {
  /// The word as it is looked up; see `LetterFolding`.
  package let folded: String
  /// Its place in the text, in bytes of UTF-8.
  package let range: Range<Int>

  package init(folded: String, range: Range<Int>) {
    self.folded = folded
    self.range = range
  }
}

/// The words of texts as the stores index them: runs of letters and digits, as `LetterFolding` has them.
package enum LetterTokenizer {
  /// The longest word, in bytes. A longer one counts as its beginning, in searches as well: PostgreSQL holds
  /// words of 2 KiB at most.
  package static let wordBytes = 256

  /// All words of a text, in order.
  package static func words(of text: String) -> [WordToken] {
    var words: [WordToken] = []
    forEachWord(of: text) { words.append(WordToken(folded: $0, range: $1)) }
    return words
  }

  /// Calls `body` with the words of a text and their places in bytes of UTF-8.
  package static func forEachWord(of text: String, _ body: (String, Range<Int>) -> Void) {
    var text = text
    text.withUTF8 {
      var reader = WordReader(UnsafeRawBufferPointer($0))
      while let range = reader.next() { body(String(decoding: reader.word, as: UTF8.self), range) }
    }
  }
}

/// Reads the words of a text in UTF-8 one after another.
struct WordReader {
  /// The last word that was read, in UTF-8.
  private(set) var word: [UInt8] = []
  private var reader: FoldedReader
  private var isCut = false

  init(_ text: UnsafeRawBufferPointer) { reader = FoldedReader(text) }

  /// Reads the next word, and returns its place in bytes, with the accents behind it; nil at the end of the
  /// text.
  mutating func next() -> Range<Int>? {
    word.removeAll(keepingCapacity: true)
    isCut = false
    var start = reader.place
    var end = reader.place
    while let folded = reader.next() {
      if folded.isLetter {
        if word.isEmpty { start = end }
        append(folded.scalars)
      } else if !folded.isUnseen, !word.isEmpty {
        break
      }
      end = reader.place
    }
    return word.isEmpty ? nil : start..<end
  }

  @inline(__always)
  private mutating func append(_ scalars: LetterFolding.Folded.Scalars) {
    var scalars = scalars
    while let value = scalars.next() {
      if value < 0x80, word.count < LetterTokenizer.wordBytes, !isCut {
        word.append(UInt8(value))
      } else if let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar) {
        isCut = isCut || word.count + bytes.count > LetterTokenizer.wordBytes
        if !isCut { word.append(contentsOf: bytes) }
      }
    }
  }
}
