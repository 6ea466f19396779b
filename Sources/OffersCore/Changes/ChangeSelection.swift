/// The filters of a reader of changes. A reader who reads with filters has a mark for each selection, so that
/// only what was shown counts as read.
package struct ChangeSelection: Hashable, Sendable {
  package let favoritesOnly: Bool
  package let feed: String?
  package let kinds: Set<OfferChange.Kind>?

  /// The filters of a query.
  package init(of query: ChangeQuery) {
    favoritesOnly = query.favoritesOnly
    feed = query.feed
    kinds = query.kinds
  }

  /// Separates the parts of a mark's name. A name of a reader has no control character by custom.
  private static let separator: Unicode.Scalar = "\u{1F}"

  /// The selection whose mark has a name; nil if it is not a mark of the reader.
  package init?(markNamed name: String, of reader: String) {
    let parts = name.split(scalar: Self.separator, omittingEmptySubsequences: false)
    guard parts.first.map(String.init) == reader else { return nil }
    if parts.count == 1 {
      (favoritesOnly, feed, kinds) = (false, nil, nil)
      return
    }
    guard parts.count == 4 else { return nil }
    favoritesOnly = !parts[1].isEmpty
    feed = parts[2].isEmpty ? nil : String(parts[2])
    let words = parts[3].split(scalar: ",").map { OfferChange.Kind(rawValue: String($0)) }
    kinds = words.isEmpty ? nil : Set(words.compactMap(\.self))
  }

  /// The name of a reader's mark for the selection: that of the reader alone for all changes.
  package func markName(of reader: String) -> String {
    guard favoritesOnly || feed != nil || kinds != nil else { return reader }
    let words = (kinds ?? []).map(\.rawValue).sorted().joined(separator: ",")
    return [reader, favoritesOnly ? "favorites" : "", feed ?? "", words]
      .joined(separator: String(Self.separator))
  }
}
