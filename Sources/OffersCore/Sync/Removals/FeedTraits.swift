/// The signs by which a document without any known offer is recognized as one of its feed: its title,
/// the hosts of the links of its offers, and the fields that these have.
package struct FeedTraits: Hashable, Sendable {
  /// The title; nil if the document has none.
  package var title: String?
  private var hosts: Set<String> = []
  private var fields: Set<OfferField> = []
  /// The number of offers whose signs were added.
  package private(set) var offerCount = 0

  /// The number of offers that are enough to know the look.
  package static let offerLimit = 100

  package init(title: String? = nil) {
    self.title = title
  }

  /// Adds the signs of an offer.
  ///
  /// - Parameters:
  ///   - url: the link of the offer; nil if it has none.
  ///   - hasDescription, hasTerms, hasReward, hasImage: whether the offer has these fields.
  package mutating func addOffer(
    url: String?, hasDescription: Bool, hasTerms: Bool, hasReward: Bool, hasImage: Bool
  ) {
    offerCount += 1
    if let host = url.flatMap(Self.host) { hosts.insert(host) }
    if url != nil { fields.insert(.url) }
    if hasDescription { fields.insert(.description) }
    if hasTerms { fields.insert(.terms) }
    if hasReward { fields.insert(.reward) }
    if hasImage { fields.insert(.imageURL) }
  }

  /// Whether two documents may be of the same feed. An equal title or a common host says so. If they
  /// have neither titles nor links, the fields decide: the offers of one have all fields of the other.
  package func isLike(_ other: FeedTraits) -> Bool {
    if let title, title == other.title { return true }
    if !hosts.isDisjoint(with: other.hosts) { return true }
    if title != nil || other.title != nil || !hosts.isEmpty || !other.hosts.isEmpty { return false }
    return fields.isSubset(of: other.fields) || other.fields.isSubset(of: fields)
  }

  /// The host of a URL in lower case and without `www.`; nil if it has none.
  private static func host(of url: String) -> String? {
    guard let start = url.range(of: "://") else { return nil }
    let host = url[start.upperBound...].prefix { !"/?#".contains($0) }
    let name = (host.split(scalar: "@").last ?? "").prefix { $0 != ":" }.lowercased()
    if name.isEmpty { return nil }
    return name.hasPrefix("www.") ? String(name.dropFirst(4)) : name
  }
}
