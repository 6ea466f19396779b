/// An offer of a document that the store does not have, by what tells that it is a known one under
/// another id: its link and its name.
package struct RenameCandidate: Sendable {
  package let id: String
  fileprivate let look: OfferTraits

  /// - Parameters: the texts in UTF-8.
  package init(id: String, url: some Sequence<UInt8>, name: some Sequence<UInt8>) {
    self.id = id
    look = OfferTraits(url: url, name: name)
  }
}

private struct OfferTraits: Hashable, Sendable {
  let url: [UInt8]
  let name: [UInt8]

  init(url: some Sequence<UInt8>, name: some Sequence<UInt8>) {
    self.url = StableAddress.of(Array(url))
    self.name = Array(name)
  }
}

/// Finds the stored offers of a feed that its document has under other ids: offers that it lacks, and
/// new ones with the same link and the same name. They are matched one to one: what several stored or
/// several new offers have in common tells nothing.
package struct RenamedOfferMatcher {
  /// A stored offer with its new id.
  package struct Rename: Hashable, Sendable {
    package let key: Int64
    package let oldID: String
    package let newID: String
  }

  /// The most new offers, and the most missing ones, that are compared.
  package static let limit = 20_000

  private let newIDs: [OfferTraits: String]
  private let missingKeys: Set<Int64>
  private var found: [OfferTraits: Rename] = [:]
  private var repeated: Set<OfferTraits> = []

  /// - Parameters:
  ///   - newOffers: the offers of the document that the store does not have.
  ///   - missingKeys: the keys of the stored offers that the document lacks.
  package init(_ newOffers: [RenameCandidate], missingKeys: [Int64]) {
    self.missingKeys = Set(missingKeys)
    var newIDs: [OfferTraits: String] = [:]
    var several: Set<OfferTraits> = []
    for offer in newOffers where newIDs.updateValue(offer.id, forKey: offer.look) != nil {
      several.insert(offer.look)
    }
    for look in several { newIDs[look] = nil }
    self.newIDs = newIDs
  }

  /// Looks at a current offer of the store, each of which has to be looked at once.
  package mutating func see(
    key: Int64, id: String, url: some Sequence<UInt8>, name: some Sequence<UInt8>
  ) {
    let look = OfferTraits(url: url, name: name)
    guard let newID = newIDs[look], !repeated.contains(look) else { return }
    if found[look] != nil || !missingKeys.contains(key) {
      found[look] = nil
      repeated.insert(look)
      return
    }
    found[look] = Rename(key: key, oldID: id, newID: newID)
  }

  /// The offers found, by ascending key.
  package var renames: [Rename] { found.values.sorted { $0.key < $1.key } }
}

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
