import OffersCore

/// Finds a spelling correction for words without a match.
struct SearchSpelling {
  private let search: SearchWords

  /// The number of nearest words of which the number of offers is counted.
  private static let countedLimit = 40

  init(_ search: SearchWords) { self.search = search }

  /// The search with results whose replacements have the smallest edit distances in total; nil if
  /// none of the attempts has results, as told by `finds`. Among equal ones, common words win.
  func findNearest(
    in session: DatabaseSession, _ finds: (SearchWords) throws -> Bool
  ) throws -> SearchWords? {
    let words = MisspelledWord.all(in: search.parts.map { ($0.words, $0.isOpen) })
    if words.isEmpty { return nil }
    let candidates = try words.map { try self.candidates(for: $0, in: session) }
    for choice in SpellingCandidate.combinations(candidates) {
      let attempt = search.replacing(
        zip(words, choice).compactMap { word, candidate in
          candidate.map { (word.part, word.word, $0.word) }
        })
      if try finds(attempt) { return attempt }
    }
    return nil
  }

  /// The best candidates for a word, except for the word itself.
  private func candidates(
    for word: MisspelledWord, in session: DatabaseSession
  ) throws -> [SpellingCandidate] {
    let length = word.text.unicodeScalars.count
    let others = try SearchTable.words(
      longerThan: length - word.limit - 1,
      shorterThan: word.isOpen ? nil : length + word.limit + 1, in: session)
    let distance = word.distance
    let near = others.compactMap { word.candidate($0, at: distance) }
    var best = Array(near.sorted { $0.isBetter(than: $1) }.prefix(Self.countedLimit))
    let counts = try SearchTable.counts(of: best.map(\.word), in: session)
    for (index, count) in counts.enumerated() { best[index].offerCount = count }
    return Array(
      best.filter { $0.offerCount > 0 }.sorted { $0.isBetter(than: $1) }
        .prefix(SpellingCandidate.limit))
  }
}
