/// The places of the words in one text of an offer.
public struct SearchMatch: Hashable, Sendable {
  /// A searched field.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    /// The name.
    case name
    /// The description.
    case description
    /// The terms.
    case terms
    /// The seller.
    case retailer
    /// The categories.
    case categories
    /// The values of the attributes.
    case attributes
  }

  /// The field that has the text.
  public let field: Field
  /// The index of the category, or of the attribute, whose value matches; nil for other fields.
  public let index: Int?
  /// The text that matches: that of the field, the name of the category, or the value of the attribute.
  public let text: String
  /// The places of the words in `text`, as ascending offsets in Unicode scalars.
  package let scalarRanges: [Range<Int>]

  /// The places of the words in `text`, in ascending order, disjoint, and of whole characters: a
  /// word that ends within a character, such as before a combining mark, is extended to the
  /// character's end. Takes time in proportion to the length of the text.
  public var ranges: [Range<String.Index>] {
    var ranges: [Range<String.Index>] = []
    // The end of the characters passed so far, and the number of scalars before it.
    var (end, count) = (text.startIndex, 0)
    for range in scalarRanges {
      var start = end
      while end < text.endIndex, count < range.upperBound {
        let next = text.index(after: end)
        count += text.unicodeScalars.distance(from: end, to: next)
        if count <= range.lowerBound { start = next }
        end = next
      }
      if start < end { ranges.append(start..<end) }
    }
    return ranges
  }

  /// - Parameters:
  ///   - field: the field that has the text.
  ///   - index: the index of the category or the attribute; nil for other fields.
  ///   - text: the text of the field.
  ///   - ranges: the places of the words, in ascending order.
  public init(
    field: Field, index: Int? = nil, in text: String, ranges: [Range<String.Index>]
  ) {
    let scalars = text.unicodeScalars
    self.init(
      field: field, index: index, in: text,
      scalarRanges: ranges.map {
        let range = $0.clamped(to: text.startIndex..<text.endIndex)
        let start = scalars.distance(from: scalars.startIndex, to: range.lowerBound)
        return start..<start + scalars.distance(from: range.lowerBound, to: range.upperBound)
      })
  }

  package init(field: Field, index: Int? = nil, in text: String, scalarRanges: [Range<Int>]) {
    self.field = field
    self.index = index
    self.text = text
    self.scalarRanges = scalarRanges
  }

  /// Whether an offer has exactly this text in the field.
  func isIn(_ offer: Offer) -> Bool {
    let own: String? =
      switch field {
      case .name: offer.name
      case .description: offer.description
      case .terms: offer.terms
      case .retailer: offer.retailer
      case .categories: element(of: offer.categories)
      case .attributes: attribute(of: offer)?.value
      }
    return own?.hasSameBytes(as: text) ?? false
  }

  /// The matching attribute of an offer; nil for another field.
  package func attribute(of offer: Offer) -> OfferAttribute? {
    field == .attributes ? element(of: offer.attributes) : nil
  }

  private func element<Element>(of list: [Element]) -> Element? {
    index.flatMap { list.indices.contains($0) ? list[$0] : nil }
  }
}

/// An offer that a search found.
public struct SearchHit: Hashable, Sendable, Identifiable {
  /// The offer, possibly abridged.
  public let offer: UserOffer
  /// The words in the offer's texts, in the order of the fields.
  public let matches: [SearchMatch]
  /// Whether the offer's texts are cut because the offers before it filled the answer. Only matches
  /// in its name are told then.
  public let isAbridged: Bool

  /// The reference of the offer, which is found once.
  public var id: OfferRef { offer.ref }

  /// Creates a hit. Matches whose text is not the offer's are left out.
  public init(offer: UserOffer, matches: [SearchMatch], isAbridged: Bool = false) {
    self.offer = offer
    self.matches = matches.filter { $0.isIn(offer.offer) }
    self.isAbridged = isAbridged
  }

  /// The places of the words in one of the offer's texts, for the name as in
  /// `hit.offer.name[range]`; none where the text has no match. `index` is the index of the
  /// category or the attribute; nil for other fields.
  public func ranges(
    in field: SearchMatch.Field, at index: Int? = nil
  ) -> [Range<String.Index>] {
    matches.first { $0.field == field && $0.index == index }?.ranges ?? []
  }
}

/// Collects the hits of a search into an answer of bounded size. An offer for which no room is left
/// is abridged, and so are those after it that do not fit.
package struct SearchHitCollector {
  package private(set) var hits: [SearchHit] = []
  private var roomBytes: Int

  /// The maximum size of each text of an abridged offer, in bytes.
  private static let abridgedBytes = 2 << 10
  /// The approximate size of one range of a `SearchMatch` in the JSON answer, in bytes.
  private static let rangeBytes = 16

  /// - Parameter maximumBytes: see `SearchQuery`.
  package init(maximumBytes: Int?) { roomBytes = maximumBytes ?? .max }

  /// Appends an offer.
  ///
  /// - Parameter matches: finds the matches in some fields of the offer.
  package mutating func append(
    _ offer: UserOffer, _ matches: ([SearchMatch.Field]) -> [SearchMatch]
  ) {
    let room = max(roomBytes, Self.abridgedBytes)
    if offer.textBytes <= room {
      let found = matches(SearchMatch.Field.allCases)
      let ranges = found.reduce(0) { $0 + $1.scalarRanges.count }
      let bytes = offer.textBytes + Self.rangeBytes * ranges
      if bytes <= room {
        roomBytes = roomBytes.subtracting(clamped: bytes)
        hits.append(SearchHit(offer: offer, matches: found))
        return
      }
    }
    hits.append(
      SearchHit(
        offer: offer.abridged(toBytes: Self.abridgedBytes), matches: matches([.name]),
        isAbridged: true))
  }
}

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
  /// The phrases whose last word may be the beginning of a longer one.
  private let open: [SearchWords.Phrase]

  package init(_ search: SearchWords) {
    let phrases = Set(search.parts.flatMap(\.phrases))
    open = phrases.filter(\.isOpen)
    for phrase in phrases {
      var place = 0
      for word in phrase.words {
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

  /// The places of the words in the first `bytes` bytes of a text, as offsets in its UTF-8, ascending and disjoint.
  private func ranges(in text: String, bytes: Int) -> [Range<Int>] {
    let isCut = text.utf8.count > bytes
    let beginning = isCut ? String(decoding: text.utf8.prefix(bytes), as: UTF8.self) : text
    var (words, joined) = LetterTokenizer.read(beginning)
    // The last word may be cut, and behind it the replacement of a character that is.
    let end = isCut ? bytes - 4 : bytes
    words.removeAll { $0.range.upperBound > end }
    joined.removeAll { $0.range.upperBound > end }
    var found: [Range<Int>] = []
    for place in words.indices {
      guard let end = self.end(ofMatchAt: place, in: words) else { continue }
      found.append(words[place].range.lowerBound..<end)
    }
    for place in joined.indices where self.end(ofMatchAt: 0, in: [joined[place]]) != nil {
      found.append(joined[place].range)
    }
    var ranges: [Range<Int>] = []
    for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) {
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
    var last = open.lazy.filter { isFound($0, at: place, in: words) }
      .map { place + $0.words.count - 1 }.max()
    var step = 0
    for index in place..<words.count {
      guard let next = steps[step].next[words[index].folded] else { break }
      step = next
      if steps[step].isEnd { last = max(last ?? index, index) }
    }
    return last.map { words[$0].range.upperBound }
  }

  /// Whether an open phrase begins with a word of a text.
  private func isFound(
    _ open: SearchWords.Phrase, at place: Int, in words: [WordToken]
  ) -> Bool {
    guard let beginning = open.words.last, words.count - place >= open.words.count
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
