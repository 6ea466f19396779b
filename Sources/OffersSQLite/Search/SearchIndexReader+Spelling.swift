import GRDB
import OffersCore

extension SearchIndexReader {
  func candidates(for words: [MisspelledWord]) throws -> [[SpellingCandidate]] {
    var best = words.map { _ in [SpellingCandidate]() }
    let distances = words.map(\.distance)
    try forEachTerm { bytes, count in
      for (index, word) in words.enumerated() {
        // A Unicode scalar has at most four bytes in UTF-8.
        if abs(word.text.utf8.count - bytes.count) > 4 * word.limit { continue }
        if bytes.first != word.text.utf8.first { continue }
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

  /// Calls `body` with each indexed word and the number of offers that have it.
  private func forEachTerm(
    _ body: (_ term: UnsafeRawBufferPointer, _ count: Int64) -> Void
  ) throws {
    try SQLiteTransaction(database).forEach("SELECT term, doc FROM search_term") { row in
      if let term = row.findUTF8(0) { body(term, row.number(1)) }
    }
  }
}
