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
      advice: Hint(near + "See what there is.", command: "offers list"))
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
