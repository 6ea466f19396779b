/// Finds the places of the words of a search in the texts of an offer, in time linear in the length of
/// the texts.
package struct SearchMarks {
  /// The size of the text that is looked at in each field, a list being one, in bytes. Words behind it
  /// are found and not marked.
  package static let fieldBytes = 64 << 10
  /// The most places in an offer. Further ones are not marked.
  package static let limit = 100

  /// The parts of the search, by their first words.
  private let parts: [String: [SearchWords.Part]]
  /// The single words that may be the beginnings of longer ones.
  private let beginnings: [String]

  package init(_ search: SearchWords) {
    parts = Dictionary(grouping: search.parts) { $0.words.first ?? "" }
    beginnings = search.parts.compactMap { $0.isOpen && $0.words.count == 1 ? $0.words.first : nil }
  }

  /// The matches in an offer, in the order of its fields.
  ///
  /// - Parameter tokenizer: finds the words as the index that was searched does.
  package func matches(in offer: Offer, by tokenizer: some WordTokenizer) throws -> [SearchMatch] {
    var matches: [SearchMatch] = []
    var count = 0
    for field in SearchMatch.Field.allCases {
      var bytes = Self.fieldBytes
      let (texts, isList) = Self.texts(of: field, in: offer)
      for (index, text) in texts.enumerated() where bytes > 0 && count < Self.limit {
        let found = try ranges(in: text, bytes: bytes, by: tokenizer).prefix(Self.limit - count)
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
  private func ranges(
    in text: String, bytes: Int, by tokenizer: some WordTokenizer
  ) throws -> [Range<Int>] {
    let isCut = text.utf8.count > bytes
    let beginning = isCut ? String(decoding: text.utf8.prefix(bytes), as: UTF8.self) : text
    var words = try tokenizer.words(of: beginning)
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
  private func end(ofMatchAt place: Int, in words: [SearchWord]) -> Int? {
    let first = words[place].folded
    var last = beginnings.contains { first.utf8.starts(with: $0.utf8) } ? place : nil
    for part in parts[first] ?? [] where Self.matches(part, words[place...]) {
      last = max(last ?? place, place + part.words.count - 1)
    }
    return last.map { words[$0].range.upperBound }
  }

  /// Whether words begin with those of a part.
  private static func matches(
    _ part: SearchWords.Part, _ words: ArraySlice<SearchWord>
  ) -> Bool {
    guard words.count >= part.words.count, let last = part.words.last else { return false }
    let found = words.prefix(part.words.count)
    guard zip(found.dropLast(), part.words).allSatisfy({ $0.folded == $1 }), let end = found.last
    else { return false }
    return end.folded == last || part.isOpen && end.folded.utf8.starts(with: last.utf8)
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
