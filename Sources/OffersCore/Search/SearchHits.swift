/// Collects the hits of a search into an answer of bounded size. An offer for which no room is left
/// is abridged, and so are those after it that do not fit.
package struct SearchHits {
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
