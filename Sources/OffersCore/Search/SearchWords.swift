/// The words of a search, as the stores look for them.
package struct SearchWords: Equatable, Sendable {
  /// Words that must follow each other.
  package struct Phrase: Hashable, Sendable {
    package let words: [String]
    /// Whether the last word may be the beginning of a longer one.
    package let isOpen: Bool
  }

  /// The words between two white spaces of a search, which must follow each other: `7-Up` has two.
  package struct Part: Hashable, Sendable {
    /// The part as it was typed.
    package var text: String
    /// The words, without case and accents; never empty.
    package var words: [String]
    /// Whether the last word may be the beginning of a longer one.
    package var isOpen = false
    /// The same words, joined as somebody may have written them: `loreal` for `l'oréal`, and `kitkat` for `kit`
    /// before `kat`; and the words that may stand instead.
    package var others: [Phrase] = []
    /// Whether the part has words instead, as in `tea OR coffee`, or is quoted: its spelling is meant.
    package var isFixed = false

    package init(text: String, words: [String], isOpen: Bool = false) {
      (self.text, self.words, self.isOpen) = (text, words, isOpen)
    }

    /// All phrases of which an offer must have one, that of the part itself first.
    package var phrases: [Phrase] { [Phrase(words: words, isOpen: isOpen)] + others }
  }

  package var parts: [Part]
  /// The phrases of which an offer must have none: `-pod`, `-"cold brew"`.
  package private(set) var unwanted: [Phrase] = []

  /// The words for `&`, which are not searched for between two other parts.
  package static let conjunctions = ["and", "und"]

  /// The most words of a search, each repetition counted. The work of a search grows with their number.
  package static let wordLimit = 50
  /// The most characters of the text of a search, counted as Unicode scalars.
  package static let characterLimit = 1000

  /// - Parameters:
  ///   - text: the text as it was typed. A quoted text is a phrase; a word or a phrase behind a hyphen is
  ///     unwanted; `OR` between two of them lets an offer have either.
  ///   - opensLetter: whether a single letter at the end may be the beginning of a word, which mostly
  ///     finds far too much.
  /// - Throws: `OffersError` with `invalidRequest` for a text with too many characters or words.
  package init(_ text: String, opensLetter: Bool = false) throws {
    try Self.check(text)
    let tokens = SearchToken.all(in: text)
    var texts: Set<String> = []
    parts = []
    var isAlternative = false
    for (place, token) in tokens.enumerated() {
      let words = LetterTokenizer.words(of: token.content).map(\.folded)
      if token.isUnwanted {
        if !words.isEmpty { unwanted.append(Phrase(words: words, isOpen: false)) }
      } else if token.text == "OR", !parts.isEmpty, place + 1 < tokens.count,
        !tokens[place + 1].isUnwanted
      {
        isAlternative = true
        continue
      } else if !words.isEmpty {
        let isLast = tokens[(place + 1)...].allSatisfy(\.isUnwanted)
        let isOpen = isLast && Self.isOpen(token, words, opensLetter: opensLetter)
        if isAlternative, let last = parts.indices.last {
          // A word that stands in another part as well must be there in any case.
          texts.remove(parts[last].text)
          parts[last].text += " OR " + token.text
          parts[last].others.append(Phrase(words: words, isOpen: isOpen))
          parts[last].isFixed = true
        } else if texts.insert(token.text).inserted
          || place + 1 < tokens.count && tokens[place + 1].text == "OR"
        {
          parts.append(Part(text: token.text, words: words, isOpen: isOpen))
          parts[parts.count - 1].isFixed = token.isQuoted
        } else if isOpen, parts.last?.text == token.text {
          parts[parts.count - 1].isOpen = true
        }
      }
      isAlternative = false
    }
    // Between others, such a word may stand for `&`, which is no word.
    if parts.count > 2 {
      let inner = parts.dropFirst().dropLast().filter { part in
        part.isFixed || part.words.count > 1 || !Self.conjunctions.contains(part.words[0])
      }
      parts = [parts[0]] + inner + [parts[parts.count - 1]]
    }
    addJoined()
  }

  /// Whether the last word of a search may be the beginning of a longer one.
  private static func isOpen(
    _ token: SearchToken, _ words: [String], opensLetter: Bool
  ) -> Bool {
    guard !token.isQuoted, let word = words.last else { return false }
    // A separator after the last word ends it: C++ is not a prefix of Café.
    let isWhole = ["x", "0"].allSatisfy {
      LetterTokenizer.words(of: token.content + $0).count > words.count
    }
    return !isWhole && (opensLetter || word.unicodeScalars.count > 1)
  }

  /// Adds the joined words of each part with several words, and of each two parts with one.
  private mutating func addJoined() {
    for place in parts.indices {
      let part = parts[place]
      if part.isFixed { continue }
      if (2...LetterTokenizer.joinedLimit).contains(part.words.count) {
        parts[place].others += Self.joined(part.text, isOpen: part.isOpen)
      }
      guard place > 0, part.words.count == 1, parts[place - 1].words.count == 1,
        !parts[place - 1].isFixed
      else { continue }
      let pair = Self.joined(parts[place - 1].text + "-" + part.text, isOpen: part.isOpen)
      parts[place - 1].others += pair
      parts[place].others += pair
    }
  }

  /// The phrases of a text with one joined word each.
  private static func joined(_ text: String, isOpen: Bool) -> [Phrase] {
    let (words, joined) = LetterTokenizer.read(text)
    return joined.map { other in
      let before = words.prefix { $0.range.lowerBound < other.range.lowerBound }
      let behind = words.drop { $0.range.lowerBound < other.range.upperBound }
      return Phrase(words: (before + [other] + behind).map(\.folded), isOpen: isOpen)
    }
  }

  /// Whether there are no wanted words, by which offers could be ranked.
  package var isEmpty: Bool { parts.isEmpty }

  /// Whether a character separates the parts of a search. NUL does, because SQLite ends a text at it.
  package static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar == "\0"
  }

  /// A text with single spaces between its parts, as recent searches are stored.
  package static func spaced(_ text: String) -> String {
    SearchToken.all(in: text).map(\.text).joined(separator: " ")
  }

  /// The words as they were typed, separated by single spaces.
  package var text: String {
    (parts.map(\.text) + unwanted.map { "-\"\($0.words.joined(separator: " "))\"" })
      .joined(separator: " ")
  }

  /// The search with some words replaced, in its text as well. A replacement is a whole word.
  package func replacing(_ words: [(part: Int, word: Int, text: String)]) -> SearchWords {
    var changed = self
    for place in parts.indices where !parts[place].isFixed { changed.parts[place].others = [] }
    for (part, word, text) in words {
      changed.parts[part].words[word] = text
      if word == changed.parts[part].words.count - 1 { changed.parts[part].isOpen = false }
      changed.parts[part].text = changed.parts[part].words.joined(separator: " ")
    }
    return changed
  }
}

extension SearchWords {
  /// Checks the length of a text, also before it is sent elsewhere, such as to the server of a feed.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a text with too many characters or words.
  package static func check(_ text: String) throws(OffersError) {
    if text.unicodeScalars.count > characterLimit {
      throw refusal("\(Units.count(characterLimit)) characters; this text has more")
    }
    let words = LetterTokenizer.words(of: text)
    // Words without anything between them, such as Chinese characters, count as one.
    let count = words.indices.count {
      $0 == 0 || words[$0 - 1].range.upperBound < words[$0].range.lowerBound
    }
    if count > wordLimit {
      throw refusal("\(wordLimit) words; this text has \(Units.count(count))")
    }
  }

  private static func refusal(_ limit: String) -> OffersError {
    OffersError(
      .invalidRequest, "A search has at most \(limit).",
      hint: "Search for fewer words. Each run of letters and digits is one: a-b has two.")
  }
}

/// A part of a text that people type to find offers: the characters between two white spaces, or a quoted text,
/// which may have some.
package struct SearchToken: Hashable, Sendable {
  /// The part as it was typed, with its sign and its quotes.
  package let text: String
  /// The number of Unicode scalars before it.
  package let offset: Int
  /// The text without the sign and the quotes of a phrase.
  package let content: String
  /// Whether it is a phrase in quotes.
  package let isQuoted: Bool
  /// Whether it is a word or a phrase behind a hyphen.
  package let isUnwanted: Bool

  private static let quotes: [Unicode.Scalar: Set<Unicode.Scalar>] = [
    "\"": ["\""], "“": ["”", "“", "\""], "„": ["“", "”"], "«": ["»"],
  ]

  private init(_ scalars: ArraySlice<Unicode.Scalar>) {
    func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return String(text)
    }
    text = string(scalars)
    offset = scalars.startIndex
    let isSigned = scalars.first == "-" || scalars.first == "−"
    let body = isSigned ? scalars.dropFirst() : scalars
    let closing = body.first.flatMap { Self.quotes[$0] }
    isQuoted = body.count > 2 && closing.map { $0.contains(body[body.endIndex - 1]) } ?? false
    // -20% and -5€ are what a shop prints.
    let isWord =
      body.first?.properties.isAlphabetic ?? false
      || body.first?.properties.numericType != nil
        && body.contains(where: \.properties.isAlphabetic)
    isUnwanted = isSigned && (isQuoted || isWord)
    content = isQuoted ? string(body.dropFirst().dropLast()) : isUnwanted ? string(body) : text
  }

  /// The parts of a text. A quote that is not closed is a character like others.
  package static func all(in text: String) -> [SearchToken] {
    let scalars = Array(text.unicodeScalars)
    var tokens: [SearchToken] = []
    var place = 0
    // The opening quotes behind which there is no closing one.
    var unclosed: Set<Unicode.Scalar> = []
    while place < scalars.count {
      if SearchWords.isSpace(scalars[place]) {
        place += 1
        continue
      }
      let start = place
      while place < scalars.count, !SearchWords.isSpace(scalars[place]) {
        // A quote opens a text at the beginning, and behind a sign that ends the name of a filter.
        let quote = scalars[place]
        place += 1
        guard let closing = quotes[quote], !unclosed.contains(quote),
          place - 1 == start || "-−:=<>≥≤".unicodeScalars.contains(scalars[place - 2])
        else { continue }
        guard let end = scalars[place...].firstIndex(where: closing.contains) else {
          unclosed.insert(quote)
          continue
        }
        if end + 1 == scalars.count || SearchWords.isSpace(scalars[end + 1]) { place = end + 1 }
      }
      tokens.append(SearchToken(scalars[start..<place]))
    }
    return tokens
  }
}

/// The words of an offer's fields as texts of a search index, each word followed by a space; behind those of a
/// text and a gap, its joined words (`LetterTokenizer`).
package enum SearchDocument {
  /// A sign that is no part of a word. It stands between the texts of a list, so that no words follow each
  /// other across them.
  package static let gap = "¶"

  /// Appends the words of a text in UTF-8.
  package static func append(_ text: UnsafeRawBufferPointer, to words: inout [UInt8]) {
    var reader = WordReader(text)
    while reader.next() != nil {
      words.append(contentsOf: reader.word)
      words.append(0x20)
    }
    if reader.joined.isEmpty { return }
    words.append(contentsOf: "\(gap) ".utf8)
    for word in reader.joined {
      words.append(contentsOf: word.folded.utf8)
      words.append(0x20)
    }
  }

  /// Appends the words of some texts of a JSON list; see `JSONTexts`.
  ///
  /// - Parameters:
  ///   - json: the list in UTF-8.
  ///   - isWanted: whether to append the words of the text with a number, from 0 on.
  ///   - words: the words before them.
  package static func append(
    _ json: UnsafeRawBufferPointer, where isWanted: (Int) -> Bool, to words: inout [UInt8]
  ) {
    var number = 0
    JSONTexts.forEach(in: json) { text in
      if isWanted(number) {
        if !words.isEmpty { words.append(contentsOf: "\(gap) ".utf8) }
        append(text, to: &words)
      }
      number += 1
    }
  }
}
