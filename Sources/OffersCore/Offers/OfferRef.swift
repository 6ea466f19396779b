/// The identity of an offer: the feed it comes from and its id in that feed.
///
/// Its textual form is `feed:id`, as in `ibotta:110579`. A feed's name never contains a colon; an
/// id may. Two references are equal if their bytes are equal: unlike texts in Swift, an id with a
/// composed accent is not the same as one with a combining accent. References are ordered by their
/// bytes, as in the database.
public struct OfferRef: Hashable, Sendable, Comparable, Identifiable, LosslessStringConvertible {
  /// The feed's name, such as `ibotta`: up to 63 lower-case letters, digits and inner hyphens.
  public let feed: String
  /// The id as the feed prints it, unique among the feed's offers only. Never empty.
  public let offerID: String

  /// The reference itself: no other offer has it.
  public var id: Self { self }

  /// Creates a reference without checking its parts.
  public init(feed: String, offerID: String) {
    self.feed = feed
    self.offerID = offerID
  }

  /// Parses the textual form; nil for a text without a valid name of a feed before its first colon,
  /// or without an id behind it.
  public init?(_ text: String) {
    guard let (feed, offerID) = Self.split(text), FeedName.isValid(feed), !offerID.isEmpty else {
      return nil
    }
    self.init(feed: feed, offerID: offerID)
  }

  /// Parses the textual form.
  ///
  /// - Throws: `OffersError` with `notFound` for a text that is no reference.
  package init(named text: String) throws {
    guard let ref = OfferRef(text) else {
      throw OffersError(
        .notFound, "There is no offer “\(text.prefix(80))”.",
        hint: "An offer is named by its feed and its id, as in ibotta:110579.")
    }
    self = ref
  }

  /// The textual form, `feed:id`.
  public var description: String { "\(feed):\(offerID)" }

  /// Splits a text at its first colon; nil if it has none. Either part may be empty.
  ///
  /// Bytes are compared: a combining accent at the start of an id forms one character with the
  /// colon.
  package static func split(_ text: String) -> (feed: String, offerID: String)? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return (String(text[..<colon]), String(text[text.utf8.index(after: colon)...]))
  }

  public static func == (left: OfferRef, right: OfferRef) -> Bool {
    left.offerID.hasSameBytes(as: right.offerID) && left.feed.hasSameBytes(as: right.feed)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(feed)
    hasher.combine(offerID)
  }

  public static func < (left: OfferRef, right: OfferRef) -> Bool {
    left.feed.hasSameBytes(as: right.feed)
      ? left.offerID.utf8.lexicographicallyPrecedes(right.offerID.utf8)
      : left.feed.utf8.lexicographicallyPrecedes(right.feed.utf8)
  }
}

/// Coded as one string, the textual form.
extension OfferRef: Codable {
  /// - Throws: `DecodingError` for a text that is no reference.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let ref = OfferRef(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "“\(text)” is not a feed and an id, as in ibotta:110579.")
    }
    self = ref
  }

  /// - Throws: `EncodingError` for a reference whose textual form is not valid.
  public func encode(to encoder: any Encoder) throws {
    guard OfferRef(description) == self else {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "“\(self)” is not a feed and an id, as in ibotta:110579."))
    }
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// Ids with a given prefix, for suggestions after a mistyped id.
package struct NearIDs {
  private let feeds: [String]
  private let list: (_ feed: String, _ prefix: String, _ limit: Int) throws -> [OfferRef]

  /// - Parameters:
  ///   - feeds: the names of the subscribed feeds.
  ///   - list: reads the offers of a feed whose ids begin with a text, in the order of the ids' bytes.
  package init(
    feeds: [String],
    list: @escaping (_ feed: String, _ prefix: String, _ limit: Int) throws -> [OfferRef]
  ) {
    self.feeds = feeds
    self.list = list
  }

  /// The offers whose id begins with a text, as in `1105` or `ibotta:1105`; at most `limit` per
  /// feed.
  func fetch(beginningWith text: String, limit: Int) throws -> [OfferRef] {
    if let (feed, start) = OfferRef.split(text), feeds.contains(feed) {
      return try list(feed, start, limit)
    }
    return try feeds.flatMap { try list($0, text, limit) }
  }

  /// The error for a text that names no offer. It suggests the id that is most similar, if one is similar
  /// enough.
  ///
  /// - Parameter exists: whether there is an offer.
  package func missing(
    _ text: String, exists: (OfferRef) throws -> Bool
  ) throws -> OffersError {
    let near = try nearest(to: text, exists).map { "Did you mean \($0)? " } ?? ""
    return OffersError(
      .notFound, "There is no offer “\(text)”.",
      hint: Hint(near + "See what there is.", command: "offers list"))
  }

  /// The maximum number of ids per feed that are compared with the text for one prefix of it.
  private static let candidateLimit = 500

  /// The id or reference that is most similar to a text, among those that begin with all but its
  /// last character, then among those that begin with its first half; nil if none is similar enough
  /// or the text has fewer than three characters.
  private func nearest(to text: String, _ exists: (OfferRef) throws -> Bool) throws -> String? {
    guard text.count >= 3 else { return nil }
    if let meant = try withNearFeed(text, exists) { return meant }
    for kept in [text.count - 1, text.count / 2] {
      let near = try fetch(
        beginningWith: String(text.prefix(kept)), limit: Self.candidateLimit)
      let words = near.map { text.contains(":") ? $0.description : $0.offerID }
      if let best = NearestWord.nearest(to: text, among: words) { return best.word }
    }
    return nil
  }

  /// For a reference whose feed is unknown: the same id in the feed with the most similar name, if
  /// that feed has it.
  private func withNearFeed(_ text: String, _ exists: (OfferRef) throws -> Bool) throws -> String? {
    guard let (name, offerID) = OfferRef.split(text), !feeds.contains(name),
      let near = NearestWord.find(name, among: feeds)
    else { return nil }
    let ref = OfferRef(feed: near, offerID: offerID)
    return try exists(ref) ? ref.description : nil
  }
}
