import OffersCore

/// An offer with the words of its texts.
struct SearchedOffer {
  let offer: UserOffer
  /// The texts with words: the field, the element of a list, and the words.
  private let texts:
    [(field: SearchMatch.Field, index: Int?, text: String, words: [SearchWords.Word])]

  /// - Parameters:
  ///   - offer: the offer as it is shown.
  ///   - own: the same offer without the attributes that all offers of its feed share.
  init(_ offer: UserOffer, own: Offer) {
    self.offer = offer
    let single: [(SearchMatch.Field, String?)] = [
      (.name, own.name), (.description, own.description), (.terms, own.terms),
      (.retailer, own.retailer),
    ]
    let all =
      single.compactMap { field, text in text.map { (field, Int?.none, $0) } }
      + own.categories.enumerated().map { (.categories, $0, $1) }
      + own.attributes.enumerated().map { (.attributes, $0, $1.value) }
    texts = all.map { ($0, $1, $2, SearchWords.words(of: $2)) }
  }

  /// All words of the offer.
  var words: Set<String> { Set(texts.flatMap { $0.words.map(\.folded) }) }

  /// The rank of the offer in a search and the places of the words; nil if a word is missing.
  func find(_ words: SearchWords) -> (rank: Int, matches: [SearchMatch])? {
    var rank = 0
    var ranges = [[Range<Int>]](repeating: [], count: texts.count)
    for part in words.parts {
      var best = 0
      for (place, text) in texts.enumerated() {
        let found = part.find(in: text.words)
        if found.ranges.isEmpty { continue }
        ranges[place] += found.ranges
        best = max(best, Self.weight(of: text.field) * (found.isWhole ? 2 : 1))
      }
      if best == 0 { return nil }
      rank += best
    }
    let matches = zip(texts, ranges).filter { !$1.isEmpty }.map { text, ranges in
      SearchMatch(
        field: text.field, index: text.index, in: text.text,
        scalarRanges: Self.merged(ranges))
    }
    return (rank, matches)
  }

  private static func weight(of field: SearchMatch.Field) -> Int {
    switch field {
    case .name: 10
    case .retailer: 5
    case .description, .categories: 3
    case .attributes: 2
    case .terms: 1
    }
  }

  /// Ascending ranges without overlaps.
  private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
    ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
      if let last = merged.last, range.lowerBound < last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
  }
}
