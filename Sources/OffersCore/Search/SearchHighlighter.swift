/// Finds the places of the words of a search in the texts of an offer, in time linear in the length of
/// the texts.
package struct SearchHighlighter {
  /// The size of the text that is looked at in each field, a list being one, in bytes. Words behind it
  /// are found and not marked.
  package static let fieldBytes = 64 << 10
  /// The most places in an offer. Further ones are not marked.
  package static let limit = 100

  /// The words that some parts of the search begin with, and what follows them in these parts.
  private struct Step {
    /// The places of the next steps in `steps`, by the next word.
    var next: [String: Int] = [:]
    /// Whether a part ends here.
    var isEnd = false
  }

  /// The parts of the search as a tree, so that the work at each word of a text depends on the longest
  /// part only. The first step is the root.
  private var steps = [Step()]
  /// The part whose last word may be the beginning of a longer one.
  private let open: SearchWords.Part?

  package init(_ search: SearchWords) {
    open = search.parts.first(where: \.isOpen)
    for part in search.parts {
      var place = 0
      for word in part.words {
        if let next = steps[place].next[word] {
          place = next
        } else {
          steps[place].next[word] = steps.count
          place = steps.count
          steps.append(Step())
        }
      }
      steps[place].isEnd = true
    }
  }

  /// The matches in some fields of an offer, in their order.
  package func matches(
    in offer: Offer, _ fields: [SearchMatch.Field] = SearchMatch.Field.allCases
  ) -> [SearchMatch] {
    var matches: [SearchMatch] = []
    var count = 0
    for field in fields {
      var bytes = Self.fieldBytes
      let (texts, isList) = Self.texts(of: field, in: offer)
      for (index, text) in texts.enumerated() where bytes > 0 && count < Self.limit {
        let found = ranges(in: text, bytes: bytes).prefix(Self.limit - count)
        bytes -= text.utf8.count
        if found.isEmpty { continue }
        count += found.count
        matches.append(
          SearchMatch(
            field: field, index: isList ? index : nil, in: text,
            scalarRanges: Self.scalarRanges(found, in: text)))
      }
    }
    return matches
  }

  private static func texts(
    of field: SearchMatch.Field, in offer: Offer
  ) -> (texts: [String], isList: Bool) {
    switch field {
    case .name: ([offer.name], false)
    case .description: ([offer.description].compactMap(\.self), false)
    case .terms: ([offer.terms].compactMap(\.self), false)
    case .retailer: ([offer.retailer].compactMap(\.self), false)
    case .categories: (offer.categories, true)
    case .attributes: (offer.attributes.map(\.value), true)
    }
  }

  /// The places in the beginning of a text, in bytes of UTF-8, in ascending order and disjoint.
  private func ranges(in text: String, bytes: Int) -> [Range<Int>] {
    let isCut = text.utf8.count > bytes
    let beginning = isCut ? String(decoding: text.utf8.prefix(bytes), as: UTF8.self) : text
    var words = LetterTokenizer.words(of: beginning)
    // The last word may be cut, and behind it the replacement of a character that is.
    if isCut, let last = words.last, last.range.upperBound > bytes - 4 { words.removeLast() }
    var ranges: [Range<Int>] = []
    for place in words.indices {
      guard let end = end(ofMatchAt: place, in: words) else { continue }
      let range = words[place].range.lowerBound..<end
      if let last = ranges.last, range.lowerBound < last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else if ranges.count == Self.limit {
        break
      } else {
        ranges.append(range)
      }
    }
    return ranges
  }

  /// The end of the longest match that begins with a word; nil if there is none.
  private func end(ofMatchAt place: Int, in words: [WordToken]) -> Int? {
    var last = hasOpenPart(at: place, in: words) ? place + (open?.words.count ?? 1) - 1 : nil
    var step = 0
    for index in place..<words.count {
      guard let next = steps[step].next[words[index].folded] else { break }
      step = next
      if steps[step].isEnd { last = max(last ?? index, index) }
    }
    return last.map { words[$0].range.upperBound }
  }

  /// Whether the open part of the search begins with a word of a text.
  private func hasOpenPart(at place: Int, in words: [WordToken]) -> Bool {
    guard let open, let beginning = open.words.last, words.count - place >= open.words.count
    else { return false }
    let found = words[place..<place + open.words.count]
    return zip(found.dropLast(), open.words).allSatisfy { $0.folded == $1 }
      && found.last?.folded.utf8.starts(with: beginning.utf8) == true
  }

  /// Ascending and disjoint ranges of bytes as ranges of Unicode scalars.
  private static func scalarRanges(
    _ ranges: some Collection<Range<Int>>, in text: String
  ) -> [Range<Int>] {
    let bounds = ranges.flatMap { [$0.lowerBound, $0.upperBound] }
    var places: [Int] = []
    var (byteCount, scalarCount) = (0, 0)
    for byte in text.utf8 {
      while places.count < bounds.count, bounds[places.count] <= byteCount {
        places.append(scalarCount)
      }
      if places.count == bounds.count { break }
      // The bytes after the first one of a scalar are 10xxxxxx.
      if byte & 0xC0 != 0x80 { scalarCount += 1 }
      byteCount += 1
    }
    while places.count < bounds.count { places.append(scalarCount) }
    return stride(from: 0, to: places.count, by: 2).map { places[$0]..<places[$0 + 1] }
  }
}
