import GRDB

/// The typed words, as an FTS5 expression.
///
/// FTS5's own tokenizer splits the text, so no typed character has a special meaning: quotes, `AND`
/// and `*` are tokens or separators.
struct SearchExpression: Equatable, Sendable {
  /// The text between two white spaces. `7-Up` has two tokens that must follow each other.
  struct Part: Equatable, Sendable {
    /// The text as it was typed.
    var text: String
    /// The tokens of the text, with case and accents folded; never empty.
    var words: [String]
    /// Whether the last word may be a prefix.
    var isOpen = false
  }

  private(set) var parts: [Part]

  /// The maximum number of parts; further ones are ignored.
  static let partLimit = 50

  /// The expression for a text. `opensLetter` tells whether a single letter at the end may be a
  /// prefix, which mostly finds far too much.
  init(_ text: String, opensLetter: Bool = false, in database: Database) throws {
    let tokenizer = try database.makeTokenizer(.unicode61(diacritics: .remove))
    var typed: [String] = []
    for part in text.split(whereSeparator: \.isWhitespace).map(String.init)
    where !typed.contains(part) && typed.count < Self.partLimit {
      typed.append(part)
    }
    parts = try typed.compactMap { text in
      let words = try tokenizer.tokenize(query: text).map(\.token)
      return words.isEmpty ? nil : Part(text: text, words: words)
    }
    guard let last = parts.last, last.text == typed.last, let word = last.words.last else { return }
    // A separator after the last word ends it: C++ is not a prefix of Café.
    let isWhole = try tokenizer.tokenize(query: last.text + "x").count > last.words.count
    parts[parts.count - 1].isOpen = !isWhole && (opensLetter || word.unicodeScalars.count > 1)
  }

  init(_ parts: [Part]) { self.parts = parts }

  var isEmpty: Bool { parts.isEmpty }

  /// The expression without the prefix search at its end if no indexed word is longer: that is
  /// cheaper and currently finds the same.
  func narrowed(in database: Database) throws -> SearchExpression {
    guard let last = parts.last, last.isOpen, let word = last.words.last,
      try !SearchTable.hasLonger(word, in: database)
    else { return self }
    var parts = parts
    parts[parts.count - 1].isOpen = false
    return SearchExpression(parts)
  }

  /// The words as they were typed, separated by single spaces.
  var text: String { parts.map(\.text).joined(separator: " ") }

  /// The expression in FTS5's query syntax, with every word quoted. A possible prefix appears as a
  /// whole word as well, so that whole words rank higher.
  /// https://sqlite.org/fts5.html#full_text_query_syntax
  var match: String {
    parts.map { part in
      let phrase = "\"\(part.words.joined(separator: " "))\""
      return part.isOpen ? "(\(phrase) OR \(phrase) *)" : phrase
    }.joined(separator: " AND ")
  }
}
