import GRDB
import OffersCore

/// Finds a spelling correction for words without a match.
struct SearchSpelling {
  private let search: SearchWords

  init(_ search: SearchWords) { self.search = search }

  /// The search with results whose replacements have the smallest edit distances in total; nil if
  /// none of the attempts has results, as told by `finds`. Among equal ones, common words win.
  func findNearest(
    in database: Database, _ finds: (SearchWords) throws -> Bool
  ) throws -> SearchWords? {
    let words = MisspelledWord.all(in: search.parts.map { ($0.words, $0.isOpen) })
    if words.isEmpty { return nil }
    let candidates = try candidates(for: words, in: database)
    for choice in SpellingCandidate.combinations(candidates) {
      let attempt = search.replacing(
        zip(words, choice).compactMap { word, candidate in
          candidate.map { (word.part, word.word, $0.word) }
        })
      if try finds(attempt) { return attempt }
    }
    return nil
  }

  /// The best candidates for each word, except for the word itself.
  private func candidates(
    for words: [MisspelledWord], in database: Database
  ) throws -> [[SpellingCandidate]] {
    var best = words.map { _ in [SpellingCandidate]() }
    let distances = words.map(\.distance)
    try SearchTable.forEachTerm(in: database) { bytes, count in
      for (index, word) in words.enumerated() {
        let missing = word.text.utf8.count - bytes.count
        // A Unicode scalar has at most four bytes in UTF-8.
        if missing > 4 * word.limit || (!word.isOpen && -missing > 4 * word.limit) { continue }
        let term = String(decoding: bytes, as: UTF8.self)
        guard let candidate = word.candidate(term, at: distances[index], offerCount: count) else {
          continue
        }
        let rank = best[index].firstIndex { candidate.isBetter(than: $0) } ?? best[index].count
        best[index].insert(candidate, at: rank)
        if best[index].count > SpellingCandidate.limit { best[index].removeLast() }
      }
    }
    return best
  }
}
