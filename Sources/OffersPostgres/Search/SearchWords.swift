import OffersCore

/// The words of a search or of a text: runs of letters and digits, without case and accents.
struct SearchWords: Equatable, Sendable {
  /// A word of a text.
  struct Word {
    let folded: String
    /// Its place, in Unicode scalars.
    let range: Range<Int>
  }

  /// The words between two white spaces of a search, which must follow each other: `7-Up` has two.
  struct Part: Hashable, Sendable {
    var words: [String]
    /// Whether the last word may be the beginning of a longer one.
    var isOpen = false
  }

  var parts: [Part]
  /// The parts as they were typed.
  var texts: [String]

  /// The most parts of a search, and the most words of a part; further ones are ignored.
  private static let limit = 50

  /// - Parameter opensLetter: whether a single letter at the end may be the beginning of a word, which
  ///   mostly finds far too much.
  init(_ text: String, opensLetter: Bool = false) {
    var typed: [String] = []
    for part in text.split(whereSeparator: { $0.isWhitespace || $0 == "\0" }).map(String.init)
    where !typed.contains(part) && typed.count < Self.limit {
      typed.append(part)
    }
    texts = []
    parts = []
    for text in typed {
      let words = Self.words(of: text).prefix(Self.limit).map(\.folded)
      if words.isEmpty { continue }
      texts.append(text)
      parts.append(Part(words: words))
    }
    guard let last = texts.last, last == typed.last, let words = parts.last?.words,
      let word = words.last
    else { return }
    // A separator after the last word ends it: C++ is not a prefix of Café.
    let isWhole = Self.words(of: last + "x").count > words.count
    parts[parts.count - 1].isOpen = !isWhole && (opensLetter || word.unicodeScalars.count > 1)
  }

  var isEmpty: Bool { parts.isEmpty }

  /// The words as they were typed, separated by single spaces.
  var text: String { texts.joined(separator: " ") }

  /// All words of a text, in order.
  static func words(of text: String) -> [Word] {
    var words: [Word] = []
    forEachWord(of: text) { words.append(Word(folded: $0, range: $1)) }
    return words
  }

  /// Calls `body` with the words of a text and their places in Unicode scalars.
  static func forEachWord(of text: String, _ body: (String, Range<Int>) -> Void) {
    var word = ""
    var start = 0
    var place = 0
    for scalar in text.unicodeScalars {
      switch WordLetters.fold(scalar) {
      case .mark where !word.isEmpty: break
      case .letter(let folded):
        if word.isEmpty { start = place }
        word.unicodeScalars.append(folded)
      case .letters(let folded):
        if word.isEmpty { start = place }
        word += folded
      case .mark, .separator:
        if !word.isEmpty {
          body(word, start..<place)
          word = ""
        }
      }
      place += 1
    }
    if !word.isEmpty { body(word, start..<place) }
  }
}

extension SearchWords.Part {
  /// The places of the part in a text, in Unicode scalars.
  func find(in text: [SearchWords.Word]) -> [Range<Int>] {
    guard text.count >= words.count, let last = words.last else { return [] }
    var ranges: [Range<Int>] = []
    for start in 0...text.count - words.count {
      let found = text[start..<start + words.count]
      guard found.dropLast().map(\.folded) == words.dropLast(), let end = found.last else {
        continue
      }
      guard end.folded == last || isOpen && end.folded.hasPrefix(last) else { continue }
      ranges.append(text[start].range.lowerBound..<end.range.upperBound)
    }
    return ranges
  }
}
