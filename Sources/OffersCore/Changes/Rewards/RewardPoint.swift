import Foundation

/// One point in the history of an offer's reward and texts.
public struct RewardPoint: Hashable, Sendable {
  /// The kinds of event in the history of an offer, as in `OfferChange.Kind`.
  public enum Event: String, Sendable {
    /// A sync first found the offer.
    case new
    /// The exact reward rose.
    case up
    /// The exact reward fell.
    case down
    /// The reward changed in another way, or only a text.
    case changed
    /// The feed no longer had the offer.
    case gone
    /// The feed had the offer again.
    case back
  }

  /// The time of the event.
  public let at: Date
  /// The kind of event.
  public let event: Event
  /// The reward since this time; nil when the feed provides none.
  public let reward: Reward?
  /// The texts and times that changed, as in `OfferChange.texts`.
  public let texts: [TextChange]

  /// Creates a reward point of its parts; the properties describe them.
  public init(at: Date, event: Event, reward: Reward?, texts: [TextChange] = []) {
    self.texts = texts
    self.at = at
    self.event = event
    self.reward = reward
  }
}

/// The bounds of a page of an offer's reward history.
public struct HistoryQuery: Hashable, Sendable {
  /// Only points recorded before the change with this number; nil for all.
  public var before: Int64?
  /// The maximum number of points. A page has at least one.
  public var limit: Int
  /// The maximum total size of the texts, in bytes of UTF-8.
  public var maximumBytes: Int

  /// Creates bounds. Without arguments the whole history is read.
  public init(before: Int64? = nil, limit: Int = .max, maximumBytes: Int = .max) {
    self.before = before
    self.limit = limit
    self.maximumBytes = maximumBytes
  }
}

/// A page of an offer's reward history.
public struct HistoryPage: Hashable, Sendable {
  /// The offer.
  public let offer: UserOffer
  /// The points of the page, oldest first.
  public let points: [RewardPoint]
  /// `HistoryQuery.before` for the page of earlier points; nil when there are none.
  public let before: Int64?

  /// Creates a history page of its parts; the properties describe them.
  public init(offer: UserOffer, points: [RewardPoint], before: Int64?) {
    self.offer = offer
    self.points = points
    self.before = before
  }
}
