/// The identity of an offer: the feed it comes from and its id in that feed.
///
/// Written `ibotta:110579`. The feed's name never holds a colon; the id may.
public struct OfferRef: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The feed's name, such as `ibotta`.
  public let feed: String
  /// The id as the feed prints it. Never empty.
  public let id: String

  public init(feed: String, id: String) {
    self.feed = feed
    self.id = id
  }

  /// The textual form, `feed:id`.
  public var description: String { "\(feed):\(id)" }

  public static func < (left: OfferRef, right: OfferRef) -> Bool {
    (left.feed, left.id) < (right.feed, right.id)
  }
}
