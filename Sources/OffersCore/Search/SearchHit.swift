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
