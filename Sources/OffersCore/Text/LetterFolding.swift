import Foundation

/// Letters without case and accents, as the words of searches and the keys of names have them.
///
/// ß is ss, æ is ae, a ligature is its letters, a full-width character is its narrow form, a Korean syllable
/// is its letters. Accents and characters that nobody sees are left out. Words and names differ in signs: a
/// word ends at each sign, while a name keeps them, all dashes, spaces and quotes of a kind as one, but for ®
/// and its like. A word ends between a letter and a digit, too, so that `250g` and `250 g` have the same words,
/// and each character of a script that is written without spaces is a word (`Kind`).
///
/// The stores keep folded texts. A change of the folding needs a migration that makes them anew.
package enum LetterFolding {
  /// The kind of a character in a word.
  package enum Kind: UInt8 {
    case letter
    case digit
    /// A character of a script without spaces between words (Chinese, Japanese, Korean, Thai, Lao, Khmer,
    /// Burmese): a word by itself, so that a word within a text is found as characters that follow each other.
    case single
    /// A letter that belongs to the Korean syllable before it.
    case follower

    /// The kind of a letter by the first scalar of its folded text.
    init(ofLetter scalar: UInt32) {
      switch scalar {
      case 0x1160..<0x1200: self = .follower
      case 0x0E00..<0x0F00, 0x1000..<0x10A0, 0x1100..<0x1160, 0x1780..<0x1800, 0x3005..<0x3130,
        0x31A0..<0x3200, 0x3400..<0xA000, 0xA9E0..<0xAA80, 0xF900..<0xFB00, 0x1_B000..<0x1_B170,
        0x2_0000..<0x4_0000:
        self = .single
      default: self = .letter
      }
    }

    /// The kind of a word that begins with a character of this one.
    @inline(__always) var ofWord: Kind { self == .follower ? .letter : self }

    /// Whether a character continues a word of this kind.
    @inline(__always) func isContinued(by next: Kind) -> Bool {
      switch self {
      case .letter: next == .letter || next == .follower
      case .digit: next == .digit
      default: next == .follower
      }
    }
  }

  /// The case folding of a character: its folded scalars, and whether the character is part of a word.
  package struct Folded {
    /// Up to three Unicode scalars of 21 bits, the first one lowest, and the two marks.
    private let bits: UInt64

    private static let letterMark: UInt64 = 1 << 63
    private static let signMark: UInt64 = 1 << 62
    private static let scalarBits: UInt64 = 0x1F_FFFF
    /// The place of the kind. No character has a third scalar that needs these bits.
    private static let kindShift: UInt64 = 60

    /// An accent, which belongs to the letter before it, or a character that nobody sees.
    static let unseen = Folded(bits: 0)
    /// A sign that names leave out.
    static let silentSign = Folded(bits: signMark)
    /// The most scalars that stand for a character.
    static let limit = 3

    private init(bits: UInt64) { self.bits = bits }

    /// - Parameters:
    ///   - scalars: what stands for the character; at most `limit`.
    ///   - kind: the kind of the character in a word; nil for a sign.
    init(_ scalars: [UInt32], _ kind: Kind?) {
      bits = scalars.reversed().reduce(0) { $0 << 21 | UInt64($1) } | Self.marks(kind)
    }

    @inline(__always)
    init(_ scalar: UInt32, _ kind: Kind?) { bits = UInt64(scalar) | Self.marks(kind) }

    @inline(__always)
    private static func marks(_ kind: Kind?) -> UInt64 {
      kind.map { letterMark | UInt64($0.rawValue) << kindShift } ?? signMark
    }

    /// Whether the character is an accent or one that nobody sees; a word does not end at it.
    @inline(__always) package var isUnseen: Bool { bits == 0 }
    /// Whether the character is part of a word: a letter or a digit.
    @inline(__always) package var isLetter: Bool { bits & Self.letterMark != 0 }
    /// The kind of a letter or digit.
    @inline(__always) package var kind: Kind {
      Kind(rawValue: UInt8(truncatingIfNeeded: bits >> Self.kindShift & 3)) ?? .letter
    }
    /// Whether a word that this sign parts from the next one can be written together with it: Coca-Cola,
    /// L’Oréal, M&M, U.S.
    package var joinsWords: Bool {
      switch bits & ~Self.signMark {
      // - ' & .
      case 0x2D, 0x27, 0x26, 0x2E: true
      // The accents and the dot that are typed for an apostrophe and a hyphen.
      case 0x60, 0xB4, 0xB7: true
      default: false
      }
    }
    /// The folded scalars of the character; none for an unseen one.
    @inline(__always) var scalars: Scalars {
      Scalars(rest: bits & ~(Self.letterMark | Self.signMark | 3 << Self.kindShift))
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
    if ideographs.contains(scalar) { return Folded(scalar, .single) }
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
    return Folded(last == 0 ? letters : letters + [0x11A7 + last], .single)
  }

  private static func make(_ value: UInt32) -> Folded {
    guard let scalar = Unicode.Scalar(value) else { return Folded(0xFFFD, nil) }
    // These have no decomposition, and looking for one takes long.
    if scalar.properties.isUnifiedIdeograph { return Folded(value, .single) }
    let isLetter = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return .unseen
    case .control where value >= 0x80: return .silentSign
    case .dashPunctuation: return Folded(0x2D, nil)
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: return Folded(0x20, nil)
    case .otherSymbol where "®™©℠℗".unicodeScalars.contains(scalar): return .silentSign
    default:
      if let sign = plainQuote(scalar) { return Folded(sign, nil) }
      // The usual signs are not made of others.
      if !isLetter, (0x2010..<0x2190).contains(value) || value >= 0x1_F000 {
        return Folded(value, nil)
      }
    }
    let plain = decomposed(scalar)
    // The letter decides, which full-width digits and signs are made of.
    let isPart = isWide(value) ? plain.contains(where: \.properties.isLetterOrDigit) : isLetter
    let letters = plain.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
      .filter { $0.properties.generalCategory != .nonspacingMark }
      .flatMap { plainLetters($0)?.unicodeScalars.map(\.value) ?? [$0.value] }
    if letters.isEmpty { return .unseen }
    let folded = letters.count > Folded.limit ? [value] : letters
    if !isPart { return Folded(folded, nil) }
    let isDigit = scalar.properties.generalCategory == .decimalNumber
    return Folded(folded, isDigit ? .digit : Kind(ofLetter: folded[0]))
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
  fileprivate(set) var place = 0

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  @inline(__always)
  mutating func next() -> LetterFolding.Folded? {
    guard place < text.count else { return nil }
    if let letter = nextASCII() {
      return LetterFolding.Folded(
        letter, letter &- 0x61 < 26 ? .letter : letter &- 0x30 < 10 ? .digit : nil)
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

  /// Appends the ASCII letters that follow to a word, up to its limit.
  @inline(__always)
  fileprivate mutating func takeLetters(to word: inout [UInt8]) {
    while place < text.count, word.count < LetterTokenizer.wordBytes {
      let letter = text[place] | 0x20
      if letter &- 0x61 >= 26 { return }
      word.append(letter)
      place += 1
    }
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

/// The words of texts as the stores index them: runs of letters, and runs of digits, as `LetterFolding` has
/// them; and behind them the joined words: `cocacola` of Coca-Cola, `loreal` of L’Oréal.
package enum LetterTokenizer {
  /// The longest word, in bytes. A longer one counts as its beginning, in searches as well: PostgreSQL holds
  /// words of 2 KiB at most.
  package static let wordBytes = 256
  /// The most words of which one is joined.
  package static let joinedLimit = 8

  /// All words of a text, in order.
  package static func words(of text: String) -> [WordToken] { read(text).words }

  /// All words of a text, in order, and the joined ones.
  package static func read(_ text: String) -> (words: [WordToken], joined: [WordToken]) {
    var words: [WordToken] = []
    let joined = forEachWord(of: text) { words.append(WordToken(folded: $0, range: $1)) }
    return (words, joined)
  }

  /// Calls `body` with the words of a text and their places in bytes of UTF-8.
  ///
  /// - Returns: the joined words.
  package static func forEachWord(
    of text: String, _ body: (String, Range<Int>) -> Void
  ) -> [WordToken] {
    var text = text
    return text.withUTF8 {
      var reader = WordReader(UnsafeRawBufferPointer($0))
      while let range = reader.next() { body(String(decoding: reader.word, as: UTF8.self), range) }
      return reader.joined
    }
  }
}

/// Reads the words of a text in UTF-8 one after another.
struct WordReader {
  /// What is between a word and the one before it, without the characters that nobody sees.
  private enum Gap {
    case none
    case joint
    case other
  }

  /// The last word that was read, in UTF-8.
  private(set) var word: [UInt8] = []
  /// The joined words so far: of words of letters with one sign between them, such as a hyphen or an
  /// apostrophe, each two that follow each other, and all of them if they are at most `joinedLimit`. The last
  /// of them are here when the text was read to its end.
  private(set) var joined: [WordToken] = []
  private var reader: FoldedReader
  private var isCut = false
  private var gap = Gap.other
  private var kind = LetterFolding.Kind.letter
  /// The word before, and its place.
  private var previous: (word: [UInt8], start: Int, isOfLetters: Bool) = ([], 0, false)
  /// The words that are joined so far, as one, and their number and place.
  private var run: (word: [UInt8], count: Int, range: Range<Int>) = ([], 0, 0..<0)

  init(_ text: UnsafeRawBufferPointer) { reader = FoldedReader(text) }

  /// Reads the next word, and returns its place in bytes, with the accents behind it; nil at the end of the
  /// text.
  mutating func next() -> Range<Int>? {
    previous.isOfLetters = kind == .letter && !isCut && !word.isEmpty
    swap(&word, &previous.word)
    word.removeAll(keepingCapacity: true)
    isCut = false
    var start = reader.place
    var end = reader.place
    var before = gap
    gap = .none
    while let folded = reader.next() {
      if folded.isLetter {
        if word.isEmpty {
          start = end
          kind = folded.kind.ofWord
        } else if !kind.isContinued(by: folded.kind) {
          reader.place = end
          break
        }
        append(folded.scalars)
        if kind == .letter, !isCut { reader.takeLetters(to: &word) }
      } else if !folded.isUnseen {
        if !word.isEmpty {
          gap = folded.joinsWords ? .joint : .other
          break
        }
        before = .other
      }
      end = reader.place
    }
    if before == .joint, kind == .letter, previous.isOfLetters, !isCut, !word.isEmpty {
      join(start..<end)
    } else if run.count > 0 {
      endRun()
    }
    previous.start = start
    return word.isEmpty ? nil : start..<end
  }

  private mutating func join(_ range: Range<Int>) {
    let pair = previous.start..<range.upperBound
    addJoined(previous.word + word, pair)
    if run.count == 0 { run = (previous.word, 1, pair) }
    run.count += 1
    run.range = run.range.lowerBound..<range.upperBound
    if run.count <= LetterTokenizer.joinedLimit { run.word += word }
  }

  private mutating func endRun() {
    if (3...LetterTokenizer.joinedLimit).contains(run.count) { addJoined(run.word, run.range) }
    run.count = 0
  }

  private mutating func addJoined(_ word: [UInt8], _ range: Range<Int>) {
    if word.count > LetterTokenizer.wordBytes { return }
    joined.append(WordToken(folded: String(decoding: word, as: UTF8.self), range: range))
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
