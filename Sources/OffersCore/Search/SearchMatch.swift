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
