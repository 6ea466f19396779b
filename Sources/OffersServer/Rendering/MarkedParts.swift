import OffersCore

/// Texts of a search result, split into parts so that the template can mark the matched words.
enum MarkedParts {
  /// The maximum offset of the first match, in Unicode scalars, at which an excerpt begins at the
  /// start of the text. For a later match it begins shortly before the match, because the style
  /// sheet cuts off the end of a long text.
  private static let lead = 90
  /// The maximum length of an excerpt, in Unicode scalars.
  private static let length = 400
  /// The maximum number of matching fields, besides name and description, of which excerpts are
  /// shown.
  private static let otherLimit = 8
  private static let labelBytes = 200

  /// Sets the name, an excerpt of the description, and excerpts of other fields with a match.
  static func fill(_ fields: inout PageFields, _ hit: SearchHit, isWhole: Bool = false) {
    let offer = hit.offer
    func ranges(_ field: SearchMatch.Field) -> [Range<Int>] {
      hit.matches.first { $0.field == field }?.scalarRanges ?? []
    }
    fields.set("nameParts", parts(offer.name, ranges(.name)))
    if let description = offer.description {
      fields.set("hasParts", true)
      fields.set("descriptionParts", parts(description, ranges(.description), isExcerpt: !isWhole))
    }
    var others: [PageFields] = []
    func add(_ label: String, _ match: SearchMatch) {
      others.append(
        [
          "label": OfferLimits.fit(label, within: labelBytes) ?? label,
          "parts": parts(match.text, match.scalarRanges, isExcerpt: true),
        ] as PageFields)
    }
    // An attribute that repeats the name, such as the original title of a movie, says nothing new.
    for match in hit.matches where others.count < otherLimit && match.text != offer.name {
      switch match.field {
      case .name, .description: break
      case .terms: add("Terms", match)
      case .retailer: add("Retailer", match)
      case .categories: add("Category", match)
      case .attributes: add(match.attribute(of: offer.offer)?.label ?? "", match)
      }
    }
    fields.set("otherMatches", others)
  }

  /// Splits a text at the bounds of its matches. Matches outside of the text or excerpt are
  /// ignored.
  ///
  /// - Parameters:
  ///   - ranges: the matches as offsets in Unicode scalars, in ascending order.
  ///   - isExcerpt: whether to cut a long text to the surroundings of its first match.
  static func parts(_ text: String, _ ranges: [Range<Int>], isExcerpt: Bool = false) -> [PageFields]
  {
    let scalars = Array(text.unicodeScalars)
    var start = 0
    var end = scalars.count
    if isExcerpt {
      if let first = ranges.first, first.lowerBound > lead {
        start = first.lowerBound - lead / 2
        // An excerpt begins between two words.
        while start < first.lowerBound, !scalars[start].properties.isWhitespace { start += 1 }
      }
      end = min(end, start + length)
    }
    var parts: [PageFields] = []
    func add(_ range: Range<Int>, isMarked: Bool) {
      guard !range.isEmpty else { return }
      var part = String.UnicodeScalarView()
      part.append(contentsOf: scalars[range])
      parts.append(
        ["text": String(part), "isMarked": isMarked] as PageFields)
    }
    if start > 0 { parts.append(["text": "… "] as PageFields) }
    var place = start
    for range in ranges {
      let low = max(place, range.lowerBound)
      let high = min(end, range.upperBound)
      guard low < high else { continue }
      add(place..<low, isMarked: false)
      add(low..<high, isMarked: true)
      place = high
    }
    add(min(place, end)..<end, isMarked: false)
    if end < scalars.count { parts.append(["text": " …"] as PageFields) }
    return parts
  }
}
