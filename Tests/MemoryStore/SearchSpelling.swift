import OffersCore

/// Finds the words of offers that mistyped words most likely stand for.
struct SearchSpelling {
  /// The corrected search; nil if there is none with results.
  private(set) var nearest: SearchWords?

  init(_ words: SearchWords, in offers: [SearchedOffer]) {
    let terms = offers.reduce(into: [String: Int64]()) { counts, offer in
      for word in offer.words { counts[word, default: 0] += 1 }
    }
    let misspelled = MisspelledWord.all(in: words.parts)
    let candidates = misspelled.map { word in
      let found = terms.compactMap { word.candidate($0, at: word.distance, offerCount: $1) }
      return Array(found.sorted { $0.isBetter(than: $1) }.prefix(SpellingCandidate.limit))
    }
    nearest = SpellingCandidate.combinations(candidates).lazy.map { choice in
      words.replacing(
        zip(misspelled, choice).compactMap { word, other in
          other.map { (word.part, word.word, $0.word) }
        })
    }.first { attempt in offers.contains { $0.rank(attempt) != nil } }
  }
}
