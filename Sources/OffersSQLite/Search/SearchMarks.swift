import OffersCore

/// The marks that FTS5's `highlight` puts around matches, and their translation to offsets in a
/// text.
struct SearchMarks {
  let start: String
  let end: String

  /// The marks are random, so that no text of a feed can contain them.
  init(number: UInt64 = .random(in: .min ... .max)) {
    let name = String(number, radix: 36)
    start = "\u{2}\(name)<"
    end = "\u{2}\(name)>"
  }

  /// The ranges between marks, as offsets into the Unicode scalars of the text without marks, and
  /// the number of scalars of that text.
  func ranges(in text: String) -> (ranges: [Range<Int>], count: Int) {
    var ranges: [Range<Int>] = []
    var count = 0
    var rest = text.unicodeScalars[...]
    let marks = (Array(start.unicodeScalars), Array(end.unicodeScalars))
    var opened: Int?
    while let next = rest.firstIndex(of: "\u{2}") {
      count += rest[..<next].count
      rest = rest[next...]
      if rest.starts(with: marks.0) {
        opened = count
        rest = rest.dropFirst(marks.0.count)
      } else if rest.starts(with: marks.1) {
        if let start = opened { ranges.append(start..<count) }
        opened = nil
        rest = rest.dropFirst(marks.1.count)
      } else {
        count += 1
        rest = rest.dropFirst()
      }
    }
    return (ranges, count + rest.count)
  }

  /// The matches in an offer. `texts` are its highlighted texts, in the order of
  /// `SearchIndex.fields`.
  func matches(in texts: [String?], of offer: Offer) -> [SearchMatch] {
    zip(SearchIndex.fields, texts).flatMap { field, text -> [SearchMatch] in
      // Fast path: most texts have no mark.
      guard let text, text.utf8.contains(2) else { return [] }
      let (ranges, count) = ranges(in: text)
      if ranges.isEmpty { return [] }
      func match(_ text: String?) -> [SearchMatch] {
        text.map { [SearchMatch(field: field, in: $0, scalarRanges: ranges)] } ?? []
      }
      return switch field {
      case .name: match(offer.name)
      case .description: match(offer.description)
      case .terms: match(offer.terms)
      case .retailer: match(offer.retailer)
      case .categories: Self.split(ranges, count, field, offer.categories)
      case .attributes: Self.split(ranges, count, field, offer.attributes.map(\.value))
      }
    }
  }

  /// The matches in a list whose elements were indexed as one text, one per line.
  private static func split(
    _ ranges: [Range<Int>], _ count: Int, _ field: SearchMatch.Field, _ elements: [String]
  ) -> [SearchMatch] {
    var matches: [SearchMatch] = []
    var begin = 0
    var rest = ranges[...]
    for (index, element) in elements.enumerated() where begin < count {
      let end = begin + element.unicodeScalars.count
      // A match that spans two elements belongs to neither.
      let own = rest.prefix { $0.lowerBound <= end }
      rest = rest.dropFirst(own.count)
      let whole = own.filter { $0.lowerBound >= begin && $0.upperBound <= end }
      if !whole.isEmpty {
        matches.append(
          SearchMatch(
            field: field, index: index, in: element,
            scalarRanges: whole.map { $0.lowerBound - begin..<$0.upperBound - begin }))
      }
      begin = end + 1
    }
    return matches
  }
}
