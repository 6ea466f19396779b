import OffersCore

/// The searched words of an offer, as the text of a `tsvector`. `LetterTokenizer` finds the words, so that a
/// search means the same in every store; PostgreSQL only looks them up.
///
/// The weights of `SearchRank` are A, B, C and D. There is a gap between the places of two texts, and before the
/// joined words of one, so that no words follow each other across them.
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

  /// The fields of an offer that it has words of.
  static let fields: [OfferField] = [
    .name, .retailer, .description, .categories, .attributes, .terms,
  ]

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
    let joined = LetterTokenizer.forEachWord(of: text) { word, _ in add(word, letter) }
    place = min(place + 1, Self.lastPlace)
    for word in joined { add(word.folded, letter) }
    if !joined.isEmpty { place = min(place + 1, Self.lastPlace) }
  }

  private mutating func add(_ word: String, _ letter: String) {
    place = min(place + 1, Self.lastPlace)
    if bytes > Self.limitBytes { return }
    let entry = "\(place)\(letter)"
    let old = places[word]
    // All places from the last one on are the same.
    if let old, old.count >= Self.placeLimit || old.last == entry { return }
    bytes += old == nil ? word.utf8.count + 8 : 2
    places[word, default: []].append(entry)
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

  /// Makes the searched words of all offers anew, a piece of them at a time.
  static func remake(in connection: Connection) throws {
    let fields = SearchVector.fields
    let columns = fields.map { "\($0)" }.joined(separator: ", ")
    var last = Int64.min
    while true {
      let rows = try connection.rows(
        "SELECT offer_key, \(columns) FROM offer WHERE offer_key > $1 ORDER BY offer_key LIMIT 1000",
        [.number(last)])
      var (keys, vectors, words) = ([Int64](), [String](), Set<String>())
      for number in 0..<rows.count {
        let row = rows[number]
        let vector = SearchVector { field in
          fields.firstIndex(of: field).flatMap { row.findText($0 + 1) }
        }
        last = row.number(0)
        keys.append(last)
        vectors.append(vector.text)
        words.formUnion(vector.words)
      }
      if keys.isEmpty { return }
      try connection.run(
        """
        UPDATE offer SET search = new.search::tsvector
        FROM unnest($1, $2) AS new (offer_key, search) WHERE offer.offer_key = new.offer_key
        """, [.numbers(keys), .texts(vectors)])
      try add(words, in: connection)
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
