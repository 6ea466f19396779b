import GRDB
import OffersCore

/// Ids with a given prefix, for completion and for suggestions after a mistyped id.
enum NearIDs {
  /// A range scan of the index on ids. Its cost does not depend on the number of offers.
  static let sql = """
    SELECT offer.id, offer.name FROM offer
    WHERE offer.feed_key = ? AND offer.id >= ? AND offer.id < ? ORDER BY offer.id LIMIT ?
    """

  /// An offer's id and name.
  struct Entry {
    let ref: OfferRef
    let name: String
  }

  /// The offers whose id begins with a text, as in `1105` or `ibotta:1105`; at most `limit` per
  /// feed.
  static func fetch(
    beginningWith text: String, limit: Int, in database: Database
  ) throws -> [Entry] {
    var feeds = try FeedTable.names(in: database)
    var beginning = text
    if let (feed, start) = OfferRef.split(text), feeds.contains(feed) {
      feeds = [feed]
      beginning = start
    }
    let statement = try database.cachedStatement(sql: sql)
    var found: [Entry] = []
    for feed in feeds {
      guard let key = try FeedTable.findKey(feed, in: database) else { continue }
      let rows = try Row.fetchAll(
        statement, arguments: [key, beginning, beginning + "\u{10FFFF}", limit])
      found += rows.map { Entry(ref: OfferRef(feed: feed, offerID: $0["id"]), name: $0["name"]) }
    }
    return found
  }

  /// For a reference whose feed is unknown: the same id in the feed with the most similar name, if
  /// that feed has it.
  private static func withNearFeed(_ text: String, in database: Database) throws -> String? {
    guard let (name, offerID) = OfferRef.split(text) else { return nil }
    let feeds = try FeedTable.names(in: database)
    guard !feeds.contains(name), let near = NearestWord.find(name, among: feeds) else { return nil }
    let ref = OfferRef(feed: near, offerID: offerID)
    return try OfferTable.findKey(ref, in: database) == nil ? nil : ref.description
  }

  /// The maximum number of ids per feed that are compared with the text for one prefix of it.
  private static let candidateLimit = 500

  /// The id or reference that is most similar to a text, among those that begin with all but its
  /// last character, then among those that begin with its first half; nil if none is similar enough
  /// or the text has fewer than three characters.
  static func nearest(to text: String, in database: Database) throws -> String? {
    guard text.count >= 3 else { return nil }
    if let meant = try withNearFeed(text, in: database) { return meant }
    for kept in [text.count - 1, text.count / 2] {
      let near = try fetch(
        beginningWith: String(text.prefix(kept)), limit: candidateLimit, in: database)
      let words = near.map { text.contains(":") ? $0.ref.description : $0.ref.offerID }
      if let best = NearestWord.nearest(to: text, among: words) { return best.word }
    }
    return nil
  }
}
