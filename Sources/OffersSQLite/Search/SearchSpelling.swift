import GRDB
import OffersCore

/// Finds a spelling correction for words without a match.
struct SearchSpelling {
  private let expression: SearchExpression

  /// The maximum number of candidates per word.
  private static let candidateLimit = 4
  /// The maximum number of combinations that are tried.
  private static let attemptLimit = 40
  /// The maximum number of words that are corrected.
  private static let wordLimit = 8

  init(_ expression: SearchExpression) { self.expression = expression }

  /// A replacement for a word.
  private struct Candidate {
    let word: String
    /// Twice the edit distance, plus one if only the prefix of the candidate is that near.
    let cost: Int
    let startsAlike: Bool
    let offerCount: Int64

    func isBetter(than other: Candidate) -> Bool {
      if cost != other.cost { return cost < other.cost }
      if startsAlike != other.startsAlike { return startsAlike }
      return offerCount == other.offerCount ? word < other.word : offerCount > other.offerCount
    }
  }

  /// A word of the expression and its position.
  private struct Place {
    let part: Int
    let word: Int
    let text: String
    let isOpen: Bool
    let limit: Int
  }

  /// The maximum edit distance for a word: 0 for words of one or two letters and for those with
  /// digits, where each character changes the meaning.
  static func limit(for word: String) -> Int {
    if word.unicodeScalars.contains(where: { $0.properties.numericType != nil }) { return 0 }
    switch word.unicodeScalars.count {
    case ...2: return 0
    case 3...5: return 1
    default: return 2
    }
  }

  /// The expression with results whose replacements have the smallest edit distances in total; nil
  /// if none of the attempts has results, as told by `finds`. Among equal ones, common words win.
  func findNearest(
    in database: Database, _ finds: (SearchExpression) throws -> Bool
  ) throws -> SearchExpression? {
    let places = self.places
    if places.isEmpty { return nil }
    let candidates = try candidates(for: places, in: database)
    for choice in Self.choices(candidates) {
      let attempt = expression.replacing(
        zip(places, choice).compactMap { place, candidate in
          candidate.map { (place.part, place.word, $0.word) }
        })
      if try finds(attempt) { return attempt }
    }
    return nil
  }

  private var places: [Place] {
    var places: [Place] = []
    for (number, part) in expression.parts.enumerated() {
      for (index, word) in part.words.enumerated() {
        let limit = Self.limit(for: word)
        let isOpen = part.isOpen && index == part.words.count - 1
        if limit > 0, places.count < Self.wordLimit {
          places.append(
            Place(part: number, word: index, text: word, isOpen: isOpen, limit: limit))
        }
      }
    }
    return places
  }

  /// The best candidates for each word, except for the word itself.
  private func candidates(
    for places: [Place], in database: Database
  ) throws -> [[Candidate]] {
    var best = places.map { _ in [Candidate]() }
    let distances = places.map { EditDistance(from: $0.text, limit: $0.limit) }
    try SearchTable.forEachTerm(in: database) { bytes, count in
      for (index, place) in places.enumerated() {
        let missing = place.text.utf8.count - bytes.count
        // A Unicode scalar has at most four bytes in UTF-8.
        if missing > 4 * place.limit || (!place.isOpen && -missing > 4 * place.limit) { continue }
        let term = String(decoding: bytes, as: UTF8.self)
        let (whole, beginning) = distances[index].distances(to: term)
        // A short prefix is near to too many words.
        let isNearStart = place.isOpen && place.text.unicodeScalars.count > 3
        guard term != place.text,
          let cost = whole.map({ 2 * $0 }) ?? (isNearStart ? beginning.map { 2 * $0 + 1 } : nil)
        else { continue }
        let candidate = Candidate(
          word: term, cost: cost,
          startsAlike: term.unicodeScalars.first == place.text.unicodeScalars.first,
          offerCount: count)
        let rank = best[index].firstIndex { candidate.isBetter(than: $0) } ?? best[index].count
        best[index].insert(candidate, at: rank)
        if best[index].count > Self.candidateLimit { best[index].removeLast() }
      }
    }
    return best
  }

  /// The combinations of replacements, nil for an unchanged word, by ascending cost.
  private static func choices(_ candidates: [[Candidate]]) -> [[Candidate?]] {
    var choices: [(cost: Int, choice: [Candidate?])] = [(0, [])]
    for options in candidates {
      let all = [nil] + options.map(Optional.some)
      choices = choices.flatMap { base in
        all.map { (base.cost + ($0?.cost ?? 0), base.choice + [$0]) }
      }
      // The sort is stable, so equal costs keep the order of the candidates.
      choices.sort { $0.cost < $1.cost }
      choices = Array(choices.prefix(attemptLimit))
    }
    return choices.map(\.choice).filter { $0.contains { $0 != nil } }
  }
}

extension SearchExpression {
  /// The expression with some words replaced, in its text as well.
  func replacing(_ words: [(part: Int, word: Int, text: String)]) -> SearchExpression {
    var parts = self.parts
    for (part, word, text) in words {
      parts[part].words[word] = text
      // A replacement is a whole word.
      if word == parts[part].words.count - 1 { parts[part].isOpen = false }
      parts[part].text = parts[part].words.joined(separator: " ")
    }
    return SearchExpression(parts)
  }
}
