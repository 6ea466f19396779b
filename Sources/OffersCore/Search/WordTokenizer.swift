/// A word of a text.
package struct SearchWord: Sendable {
  /// The word as it is looked up: without case and accents.
  package let folded: String
  /// Its place in the text, in bytes of UTF-8.
  package let range: Range<Int>

  package init(folded: String, range: Range<Int>) {
    self.folded = folded
    self.range = range
  }
}

/// Divides texts into words as the index of a store does.
package protocol WordTokenizer {
  /// All words of a text, in order.
  func words(of text: String) throws -> [SearchWord]
}

/// The words of a text as runs of letters and digits, without case and accents.
package struct LetterTokenizer: WordTokenizer {
  package init() {}

  package func words(of text: String) -> [SearchWord] {
    var words: [SearchWord] = []
    Self.forEachWord(of: text) { words.append(SearchWord(folded: $0, range: $1)) }
    return words
  }

  /// Calls `body` with the words of a text and their places in bytes of UTF-8.
  package static func forEachWord(of text: String, _ body: (String, Range<Int>) -> Void) {
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
      place += UTF8.width(scalar)
    }
    if !word.isEmpty { body(word, start..<place) }
  }
}
