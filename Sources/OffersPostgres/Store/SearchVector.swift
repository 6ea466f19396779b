import OffersCore

/// The searched words of an offer, as the text of a `tsvector`. `LetterTokenizer` finds the words, so that a
/// search means the same in every store; PostgreSQL only looks them up.
///
/// The weights of `SearchRank` are A, B, C and D. There is a gap between the places of two texts, so that no
/// words follow each other across them.
struct SearchVector {
  /// PostgreSQL's weights, for those of `SearchRank.weights`.
  static let letters = ["A", "B", "C", "D"]
  /// The size of the words and places above which further words are left out. A `tsvector` has at most
  /// 1 MiB.
  private static let limitBytes = 768 << 10
  /// The last place that a `tsvector` tells from later ones.
  private static let lastPlace = 16_383
  /// The most places that a `tsvector` keeps of a word.
  private static let placeLimit = 255

  private var places: [String: [String]] = [:]
  private var bytes = 0
  private var place = 0

  /// - Parameter text: the text of a field of the offer, a list as its JSON.
  init(_ text: (OfferField) -> String?) {
    add(text(.name), of: .name)
    add(text(.retailer), of: .retailer)
    add(text(.description), of: .description)
    for category in text(.categories).map(JSONTexts.parse) ?? [] { add(category, of: .categories) }
    for attribute in text(.attributes).map(OfferAttribute.parse) ?? [] {
      add(attribute.value, of: .attributes)
    }
    add(text(.terms), of: .terms)
  }

  /// Adds the words of a text.
  private mutating func add(_ text: String?, of field: SearchMatch.Field) {
    guard let text else { return }
    let letter = Self.letter(of: field)
    LetterTokenizer.forEachWord(of: text) { word, _ in
      place = min(place + 1, Self.lastPlace)
      if bytes > Self.limitBytes { return }
      let entry = "\(place)\(letter)"
      let old = places[word]
      // All places from the last one on are the same.
      if let old, old.count >= Self.placeLimit || old.last == entry { return }
      bytes += old == nil ? word.utf8.count + 8 : 2
      places[word, default: []].append(entry)
    }
    place = min(place + 1, Self.lastPlace)
  }

  private static func letter(of field: SearchMatch.Field) -> String {
    let number = SearchRank.weights.firstIndex(of: SearchRank.weight(of: field))
    return number.map { letters[min($0, letters.count - 1)] } ?? "D"
  }

  /// The words.
  var words: some Sequence<String> { places.keys }

  /// The text of the `tsvector`. Words have letters and digits only, so quotes suffice.
  var text: String {
    places.map { "'\($0)':\($1.joined(separator: ","))" }.joined(separator: " ")
  }
}

extension SearchWords {
  /// The search as the text of a `tsquery`.
  var query: String { parts.map { $0.query() }.joined(separator: " & ") }
}

extension SearchWords.Part {
  /// The part as the text of a `tsquery`.
  ///
  /// - Parameters:
  ///   - weight: the weight that all words must have; empty for any.
  ///   - isWhole: whether the last word must be whole, although it is open.
  func query(weight: String = "", isWhole: Bool = false) -> String {
    let terms = words.enumerated().map { index, word in
      let isPrefix = isOpen && !isWhole && index == words.count - 1
      let mark = (isPrefix ? "*" : "") + weight
      return "'\(word)'" + (mark.isEmpty ? "" : ":\(mark)")
    }
    return "(\(terms.joined(separator: " <-> ")))"
  }
}

/// The SQL that keeps the words of all offers.
enum SearchWordTable {
  /// Adds words, in an order of their own: two transactions that add the same words would otherwise wait
  /// for each other.
  static func add(_ words: Set<String>, in connection: Connection) throws {
    let sorted = words.sorted()
    for start in stride(from: 0, to: sorted.count, by: 10_000) {
      let piece = sorted[start..<min(start + 10_000, sorted.count)]
      try connection.run(
        """
        INSERT INTO search_word (word) SELECT new.word FROM unnest($1) AS new (word)
        WHERE NOT EXISTS (SELECT 1 FROM search_word WHERE search_word.word = new.word)
        ON CONFLICT DO NOTHING
        """, [.texts(Array(piece))])
    }
  }

  /// Removes words that no offer has any more. The transaction must have the lock of `CommitOrder`, so that no
  /// other one adds offers with them meanwhile.
  ///
  /// - Parameters:
  ///   - word: the words after it are looked at.
  ///   - limit: the number of words to look at.
  ///   - connection: runs the statements.
  /// - Returns: the last word that was looked at; nil if there was none.
  static func deleteUnused(
    after word: String, limit: Int, in connection: Connection
  ) throws -> String? {
    let last = try connection.rows(
      """
      SELECT max(word) FROM (
        SELECT word FROM search_word WHERE word > $1 ORDER BY word LIMIT \(limit)) AS piece
      """, [.text(word)]
    ).first?.findText(0)
    guard let last else { return nil }
    try connection.run(
      """
      DELETE FROM search_word WHERE word > $1 AND word <= $2 AND (
        SELECT 1 FROM offer WHERE offer.search @@ (quote_literal(search_word.word))::tsquery LIMIT 1
      ) IS NULL
      """, [.text(word), .text(last)])
    return last
  }
}
