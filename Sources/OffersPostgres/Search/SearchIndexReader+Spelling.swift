import OffersCore

extension SearchIndexReader {
  /// The number of nearest words of which the number of offers is counted.
  private static let countedLimit = 40

  func candidates(for words: [MisspelledWord]) throws -> [[SpellingCandidate]] {
    try words.map { try candidates(for: $0) }
  }

  /// The best candidates for a word, except for the word itself.
  private func candidates(
    for word: MisspelledWord
  ) throws -> [SpellingCandidate] {
    let length = word.text.unicodeScalars.count
    let others = try self.words(length - word.limit...length + word.limit)
    let distance = word.distance
    let near = others.compactMap { word.candidate($0, at: distance) }
    var best = Array(near.sorted { $0.isBetter(than: $1) }.prefix(Self.countedLimit))
    let counts = try self.counts(of: best.map(\.word))
    for (index, count) in counts.enumerated() { best[index].offerCount = count }
    return Array(
      best.filter { $0.offerCount > 0 }.sorted { $0.isBetter(than: $1) }
        .prefix(SpellingCandidate.limit))
  }

  /// All words of offers with a length, in Unicode scalars.
  private func words(_ lengths: ClosedRange<Int>) throws -> [String] {
    try connection.rows(
      "SELECT word FROM search_word WHERE char_length(word) BETWEEN $1 AND $2",
      [.number(Int64(lengths.lowerBound)), .number(Int64(lengths.upperBound))]
    ).map { $0.text(0) }
  }

  /// The numbers of offers that have words, in their order.
  private func counts(of words: [String]) throws -> [Int64] {
    try connection.rows(
      """
      SELECT (SELECT count(*) FROM offer WHERE offer.search @@ wanted.query::tsquery)
      FROM unnest($1) WITH ORDINALITY AS wanted (query, place) ORDER BY wanted.place
      """, [.texts(words.map { "'\($0)'" })]
    ).map { $0.number(0) }
  }
}
