import OffersCore

/// The places of the words of a search in the texts of an offer.
enum SearchMarks {
  static func matches(of search: SearchWords, in offer: UserOffer) -> [SearchMatch] {
    let single: [(SearchMatch.Field, String?)] = [
      (.name, offer.name), (.description, offer.description), (.terms, offer.terms),
      (.retailer, offer.retailer),
    ]
    let texts =
      single.compactMap { field, text in text.map { (field, Int?.none, $0) } }
      + offer.categories.enumerated().map { (.categories, $0, $1) }
      + offer.attributes.enumerated().map { (.attributes, $0, $1.value) }
    return texts.compactMap { field, index, text in
      let words = SearchWords.words(of: text)
      let ranges = search.parts.flatMap { $0.find(in: words) }
      if ranges.isEmpty { return nil }
      return SearchMatch(field: field, index: index, in: text, scalarRanges: merged(ranges))
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
