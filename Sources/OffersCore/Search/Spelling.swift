/// A word of a search for which a store looks for other spellings.
package struct MisspelledWord: Sendable {
  /// The number of the part of the search, and that of the word in it.
  package let part: Int
  package let word: Int
  package let text: String
  /// The maximum edit distance of another spelling.
  package let limit: Int

  /// The maximum number of words that are corrected.
  private static let countLimit = 8

  /// The words of a search that may be misspelled, in their order.
  package static func all(in parts: [SearchWords.Part]) -> [MisspelledWord] {
    var found: [MisspelledWord] = []
    for (number, part) in parts.enumerated() {
      for (index, word) in part.words.enumerated() {
        let limit = limit(for: word)
        if limit > 0, found.count < countLimit {
          found.append(MisspelledWord(part: number, word: index, text: word, limit: limit))
        }
      }
    }
    return found
  }

  /// The maximum edit distance for a word: one edit, and two in a long word. 0 for words of one or two
  /// letters, for those with digits, where each character changes the meaning, and for those too long
  /// for `EditDistance`.
  private static func limit(for word: String) -> Int {
    if word.unicodeScalars.contains(where: { $0.properties.numericType != nil }) { return 0 }
    switch word.unicodeScalars.count {
    case 3...7: return 1
    case 8...EditDistance.longestWord: return 2
    default: return 0
    }
  }

  package var distance: EditDistance { EditDistance(from: text, limit: limit) }

  /// The longest word that has to keep its letters: in a short word, another letter makes another
  /// word (café, care), while two swapped letters or a missing one are mistakes.
  private static let keptLimit = 4

  /// The other word as another spelling of this one; nil if it is too far from it, or the word itself.
  /// It begins with the same letter, because people rarely mistype the first one.
  ///
  /// - Parameters:
  ///   - distance: the `distance` of this word, which is computed once for many others.
  ///   - offerCount: the number of offers with the other word, as far as it is known.
  package func candidate(
    _ other: String, at distance: EditDistance, offerCount: Int64 = 0
  ) -> SpellingCandidate? {
    let (typed, letters) = (text.unicodeScalars, other.unicodeScalars)
    guard letters.first == typed.first, other != text else { return nil }
    if typed.count <= Self.keptLimit, !typed.allSatisfy(letters.contains) { return nil }
    return distance.distance(to: other).map {
      SpellingCandidate(word: other, cost: $0, offerCount: offerCount)
    }
  }
}

/// Another spelling of a word of a search.
package struct SpellingCandidate: Sendable {
  /// The maximum number of candidates per word.
  package static let limit = 4
  /// The maximum number of combinations that are tried.
  private static let combinationLimit = 40

  package let word: String
  /// The edit distance.
  let cost: Int
  package var offerCount: Int64

  package func isBetter(than other: SpellingCandidate) -> Bool {
    if cost != other.cost { return cost < other.cost }
    return offerCount == other.offerCount ? word < other.word : offerCount > other.offerCount
  }

  /// The combinations of the candidates of several words, by ascending cost: for each word its
  /// replacement, or nil to leave it as it is.
  package static func combinations(_ candidates: [[SpellingCandidate]]) -> [[SpellingCandidate?]] {
    var choices: [(cost: Int, choice: [SpellingCandidate?])] = [(0, [])]
    for options in candidates {
      let all = [nil] + options.map(Optional.some)
      choices = choices.flatMap { base in
        all.map { (base.cost + ($0?.cost ?? 0), base.choice + [$0]) }
      }
      // The sort is stable, so equal costs keep the order of the candidates.
      choices.sort { $0.cost < $1.cost }
      choices = Array(choices.prefix(combinationLimit))
    }
    return choices.map(\.choice).filter { $0.contains { $0 != nil } }
  }
}
