/// Offers that were found, as they are gathered for an answer of bounded size.
package struct SearchHits {
  package private(set) var hits: [SearchHit] = []
  private var roomBytes: Int

  /// How long the texts of an offer may be for which there is no room.
  private static let abridgedBytes = 2 << 10
  /// About what a place in a text takes in an answer.
  private static let rangeBytes = 16

  /// - Parameter maximumBytes: see `SearchQuery`.
  package init(maximumBytes: Int?) { roomBytes = maximumBytes ?? .max }

  package mutating func append(_ offer: Offer, _ matches: [SearchMatch]) {
    let ranges = matches.reduce(0) { $0 + $1.ranges.count }
    let bytes = offer.textBytes + Self.rangeBytes * ranges
    if bytes <= max(roomBytes, Self.abridgedBytes) {
      roomBytes -= bytes
      hits.append(SearchHit(offer: offer, matches: matches))
      return
    }
    let short = offer.abridged(toBytes: Self.abridgedBytes)
    let matches = short.name == offer.name ? matches.filter { $0.field == .name } : []
    hits.append(SearchHit(offer: short, matches: matches, isAbridged: true))
  }
}
