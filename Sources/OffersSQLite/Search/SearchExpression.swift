import GRDB

/// What a person typed, as the index understands it.
///
/// SQLite's own rules break the text into words, so nothing that can be typed has a meaning of its
/// own: quotes, `AND` and `*` are letters or the lack of them.
struct SearchExpression: Equatable, Sendable {
  /// What stands between two spaces. `7-Up` is two words that have to follow each other.
  struct Part: Equatable, Sendable {
    /// As it was typed.
    var text: String
    /// Its words, their case and accents folded; never empty.
    var words: [String]
    /// Whether the last word may be the beginning of one.
    var isOpen = false
  }

  private(set) var parts: [Part]

  /// Most parts that are looked for; those behind it could only find less.
  static let partLimit = 50

  /// - Parameter opensLetter: whether a single letter at the end may be the beginning of a word,
  ///   which mostly finds far too much.
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
    // Whoever types something behind a word has typed all of it: C++ is not the beginning of Café.
    let isWhole = try tokenizer.tokenize(query: last.text + "x").count > last.words.count
    parts[parts.count - 1].isOpen = !isWhole && (opensLetter || word.unicodeScalars.count > 1)
  }

  init(_ parts: [Part]) { self.parts = parts }

  var isEmpty: Bool { parts.isEmpty }

  /// The same, not open at its end where no word goes on behind it: that costs less and finds the
  /// same now, but not later.
  func narrowed(in database: Database) throws -> SearchExpression {
    guard let last = parts.last, last.isOpen, let word = last.words.last,
      try !SearchTable.hasLonger(word, in: database)
    else { return self }
    var parts = parts
    parts[parts.count - 1].isOpen = false
    return SearchExpression(parts)
  }

  /// The words as they were typed, with one space between them.
  var text: String { parts.map(\.text).joined(separator: " ") }

  /// The same in the language of `MATCH`: every word in quotes. A word that may be a beginning stands
  /// there twice, so that the whole word counts more.
  var match: String {
    parts.map { part in
      let phrase = "\"\(part.words.joined(separator: " "))\""
      return part.isOpen ? "(\(phrase) OR \(phrase) *)" : phrase
    }.joined(separator: " AND ")
  }
}
