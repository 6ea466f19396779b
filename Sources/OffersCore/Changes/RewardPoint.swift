import Foundation

/// One point in the history of an offer's reward.
public struct RewardPoint: Hashable, Sendable {
  public enum Event: String, Sendable {
    case new, changed, gone, back
  }

  public let at: Date
  public let event: Event
  /// The reward from then on; nil when the feed provides none.
  public let reward: Reward?

  public init(at: Date, event: Event, reward: Reward?) {
    self.at = at
    self.event = event
    self.reward = reward
  }
}

/// How much of a history to read.
public struct HistoryBounds: Hashable, Sendable {
  /// Only what was recorded before this change; nil for all.
  public var before: Int64?
  /// Most points.
  public var limit: Int
  /// Most bytes of rewards' texts.
  public var maximumBytes: Int

  public init(before: Int64? = nil, limit: Int = .max, maximumBytes: Int = .max) {
    self.before = before
    self.limit = limit
    self.maximumBytes = maximumBytes
  }
}

/// A part of an offer's history.
public struct HistoryPage: Hashable, Sendable {
  public let offer: Offer
  /// Oldest first.
  public let points: [RewardPoint]
  /// The change before which earlier points are left; nil where there are none.
  public let before: Int64?

  public init(offer: Offer, points: [RewardPoint], before: Int64?) {
    self.offer = offer
    self.points = points
    self.before = before
  }
}
