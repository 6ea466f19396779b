import OffersCore

/// Finds a spelling correction for words without a match.
struct SearchSpelling {
  private let search: SearchWords

  /// The maximum number of candidates per word.
  private static let candidateLimit = 4
  /// The number of nearest words of which the number of offers is counted.
  private static let countedLimit = 40
  /// The maximum number of combinations that are tried.
  private static let attemptLimit = 40
  /// The maximum number of words that are corrected.
  private static let wordLimit = 8

  init(_ search: SearchWords) { self.search = search }

  /// A replacement for a word.
  private struct Candidate {
    let word: String
    /// Twice the edit distance, plus one if only the prefix of the candidate is that near.
    let cost: Int
    let startsAlike: Bool
    var offerCount: Int64 = 0

    func isBetter(than other: Candidate) -> Bool {
      if cost != other.cost { return cost < other.cost }
      if startsAlike != other.startsAlike { return startsAlike }
      return offerCount == other.offerCount ? word < other.word : offerCount > other.offerCount
    }
  }

  /// A word of the search and its position.
  private struct Place {
    let part: Int
    let word: Int
    let text: String
    let isOpen: Bool
    let limit: Int
  }

  /// The maximum edit distance for a word: 0 for words of one or two letters and for those with
  /// digits, where each character changes the meaning.
  private static func limit(for word: String) -> Int {
    if word.unicodeScalars.contains(where: { $0.properties.numericType != nil }) { return 0 }
    switch word.unicodeScalars.count {
    case ...2: return 0
    case 3...5: return 1
    default: return 2
    }
  }

  /// The search with results whose replacements have the smallest edit distances in total; nil if
  /// none of the attempts has results, as told by `finds`. Among equal ones, common words win.
  func findNearest(
    in session: DatabaseSession, _ finds: (SearchWords) throws -> Bool
  ) throws -> SearchWords? {
    let places = self.places
    if places.isEmpty { return nil }
    let options = try places.map { try candidates(for: $0, in: session) }
    for choice in Self.choices(options) {
      let attempt = search.replacing(
        zip(places, choice).compactMap { place, candidate in
          candidate.map { (place.part, place.word, $0.word) }
        })
      if try finds(attempt) { return attempt }
    }
    return nil
  }

  private var places: [Place] {
    var places: [Place] = []
    for (number, part) in search.parts.enumerated() {
      for (index, word) in part.words.enumerated() {
        let limit = Self.limit(for: word)
        let isOpen = part.isOpen && index == part.words.count - 1
        if limit > 0, places.count < Self.wordLimit,
          word.unicodeScalars.count <= EditDistance.longestWord
        {
          places.append(
            Place(part: number, word: index, text: word, isOpen: isOpen, limit: limit))
        }
      }
    }
    return places
  }

  /// The best candidates for a word, except for the word itself.
  private func candidates(for place: Place, in session: DatabaseSession) throws -> [Candidate] {
    let length = place.text.unicodeScalars.count
    let words = try SearchTable.words(
      longerThan: length - place.limit - 1,
      shorterThan: place.isOpen ? nil : length + place.limit + 1, in: session)
    let distance = EditDistance(from: place.text, limit: place.limit)
    // A short prefix is near to too many words.
    let isNearStart = place.isOpen && length > 3
    let near = words.compactMap { word -> Candidate? in
      let (whole, beginning) = distance.distances(to: word)
      guard word != place.text,
        let cost = whole.map({ 2 * $0 }) ?? (isNearStart ? beginning.map { 2 * $0 + 1 } : nil)
      else { return nil }
      return Candidate(
        word: word, cost: cost,
        startsAlike: word.unicodeScalars.first == place.text.unicodeScalars.first)
    }
    var best = Array(near.sorted { $0.isBetter(than: $1) }.prefix(Self.countedLimit))
    let counts = try SearchTable.counts(of: best.map(\.word), in: session)
    for (index, count) in counts.enumerated() { best[index].offerCount = count }
    return Array(
      best.filter { $0.offerCount > 0 }.sorted { $0.isBetter(than: $1) }
        .prefix(Self.candidateLimit))
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

extension SearchWords {
  /// The search with some words replaced, in its texts as well.
  fileprivate func replacing(_ words: [(part: Int, word: Int, text: String)]) -> SearchWords {
    var changed = self
    for (part, word, text) in words {
      changed.parts[part].words[word] = text
      // A replacement is a whole word.
      if word == changed.parts[part].words.count - 1 { changed.parts[part].isOpen = false }
      changed.texts[part] = changed.parts[part].words.joined(separator: " ")
    }
    return changed
  }
}
