import OffersCore

/// The words of a search or of a text: runs of letters and digits, without case and accents.
struct SearchWords {
  /// A word of a text.
  struct Word {
    let folded: String
    /// Its place, in Unicode scalars.
    let range: Range<Int>
  }

  /// The words between two white spaces of a search, which must follow each other: `7-Up` has two.
  struct Part: Hashable {
    var words: [String]
    /// Whether the last word may be the beginning of a longer one.
    var isOpen = false
  }

  var parts: [Part]
  /// The parts as they were typed.
  var texts: [String]

  /// - Parameter opensLetter: whether a single letter at the end may be the beginning of a word.
  init(_ text: String, opensLetter: Bool = false) {
    let typed = text.split { $0.isWhitespace || $0 == "\0" }.map(String.init)
    texts = typed.filter { !Self.words(of: $0).isEmpty }
    parts = texts.map { Part(words: Self.words(of: $0).map(\.folded)) }
    if let last = texts.last, last == typed.last, let words = parts.last?.words,
      let word = words.last
    {
      let isWhole = Self.words(of: last + "x").count > words.count
      parts[parts.count - 1].isOpen = !isWhole && (opensLetter || word.unicodeScalars.count > 1)
    }
  }

  static func words(of text: String) -> [Word] {
    var words: [Word] = []
    var (word, start) = ("", 0)
    for (place, scalar) in (text + " ").unicodeScalars.enumerated() {
      if isMark(scalar), !word.isEmpty { continue }
      if isLetter(scalar) {
        if word.isEmpty { start = place }
        word += folded(scalar)
      } else if !word.isEmpty {
        words.append(Word(folded: word, range: start..<place))
        word = ""
      }
    }
    return words
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .nonspacingMark
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  private static func folded(_ scalar: Unicode.Scalar) -> String {
    let plain = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      !isMark($0)
    }
    return String(String.UnicodeScalarView(plain)).lowercased()
  }
}

extension SearchWords.Part {
  /// The places of the part in a text, in Unicode scalars, and whether one of them is of whole words.
  func find(in text: [SearchWords.Word]) -> (ranges: [Range<Int>], isWhole: Bool) {
    var ranges: [Range<Int>] = []
    var isWhole = false
    guard text.count >= words.count, let last = words.last else { return ([], false) }
    for start in 0...text.count - words.count {
      let found = text[start..<start + words.count]
      guard found.dropLast().map(\.folded) == words.dropLast(), let end = found.last else {
        continue
      }
      guard end.folded == last || isOpen && end.folded.hasPrefix(last) else { continue }
      if end.folded == last { isWhole = true }
      ranges.append(text[start].range.lowerBound..<end.range.upperBound)
    }
    return (ranges, isWhole)
  }
}
