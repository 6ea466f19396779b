import OffersCore

/// An offer with the words of its texts.
struct SearchedOffer {
  let offer: UserOffer
  /// The fields of the texts and their words.
  private let texts: [(field: SearchMatch.Field, words: [SearchWord])]

  /// - Parameters:
  ///   - offer: the offer as it is shown.
  ///   - own: the same offer without the attributes that all offers of its feed share.
  init(_ offer: UserOffer, own: Offer) {
    self.offer = offer
    let all: [(SearchMatch.Field, String?)] =
      [
        (.name, own.name), (.description, own.description), (.terms, own.terms),
        (.retailer, own.retailer),
      ] + own.categories.map { (.categories, $0) } + own.attributes.map { (.attributes, $0.value) }
    texts = all.compactMap { field, text in text.map { (field, LetterTokenizer().words(of: $0)) } }
  }

  /// All words of the offer.
  var words: Set<String> { Set(texts.flatMap { $0.words.map(\.folded) }) }

  /// The rank of the offer in a search; nil if a word is missing.
  func rank(_ words: SearchWords) -> Int? {
    var rank = 0
    for part in words.parts {
      let ranks = texts.compactMap { text in
        part.isWhole(in: text.words).map { Self.weight(of: text.field) * ($0 ? 2 : 1) }
      }
      guard let best = ranks.max() else { return nil }
      rank += best
    }
    return rank
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
}

extension SearchWords.Part {
  /// Whether the part is in a text as whole words; nil if it is not in the text.
  fileprivate func isWhole(in text: [SearchWord]) -> Bool? {
    guard text.count >= words.count, let last = words.last else { return nil }
    var isFound = false
    for start in 0...text.count - words.count {
      let found = text[start..<start + words.count].map(\.folded)
      guard found.dropLast() == words.dropLast(), let end = found.last else { continue }
      if end == last { return true }
      isFound = isFound || isOpen && end.hasPrefix(last)
    }
    return isFound ? false : nil
  }
}
