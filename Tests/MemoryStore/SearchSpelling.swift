import OffersCore

/// Finds the words of offers that mistyped words most likely stand for.
struct SearchSpelling {
  /// The corrected search; nil if there is none with results.
  private(set) var nearest: SearchWords?

  /// A replacement of a word, or the word itself.
  private struct Choice {
    let word: String
    var cost = 0
  }

  init(_ words: SearchWords, in offers: [SearchedOffer]) {
    let terms = offers.reduce(into: [String: Int]()) { counts, offer in
      for word in offer.words { counts[word, default: 0] += 1 }
    }
    var attempts: [(words: SearchWords, cost: Int)] = [(words, 0)]
    for (number, part) in words.parts.enumerated() {
      for (place, word) in part.words.enumerated() {
        let choices = [Choice(word: word)] + Self.choices(for: word, among: terms)
        attempts = attempts.flatMap { attempt in
          choices.map { choice in
            var changed = attempt
            if choice.cost > 0 {
              changed.words = changed.words.replacing([(number, place, choice.word)])
              changed.words.parts[number].isOpen = false
            }
            changed.cost += choice.cost
            return changed
          }
        }
        attempts = Array(attempts.sorted { $0.cost < $1.cost }.prefix(40))
      }
    }
    let found = attempts.first { attempt in
      attempt.cost > 0 && offers.contains { $0.rank(attempt.words) != nil }
    }
    nearest = found?.words
  }

  /// The nearest terms for a word, the most frequent of equally near ones first. Short words and
  /// numbers are not corrected.
  private static func choices(for word: String, among terms: [String: Int]) -> [Choice] {
    let count = word.unicodeScalars.count
    guard count > 2, !word.unicodeScalars.contains(where: { $0.properties.numericType != nil })
    else { return [] }
    let edits = EditDistance(from: word, limit: count > 5 ? 2 : 1)
    let near = terms.compactMap { term, count -> (term: String, distance: Int, count: Int)? in
      guard term != word else { return nil }
      return edits.distances(to: term).whole.map { (term, $0, count) }
    }
    return near.sorted { ($0.distance, $1.count, $0.term) < ($1.distance, $0.count, $1.term) }
      .prefix(4).map { Choice(word: $0.term, cost: $0.distance) }
  }
}
