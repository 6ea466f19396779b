import Foundation

/// A change of an offer, classified for users.
public struct OfferChange: Hashable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    /// A sync found the offer for the first time.
    case new
    /// Its exact reward rose, or fell.
    case up
    case down
    /// Another field differs, or the reward differs but cannot be compared.
    case changed
    /// The feed no longer has the offer, or has it again.
    case gone
    case back
    /// The offer expires within 48 hours.
    case expiring
  }

  /// The number of the recorded change; nil for `expiring`, which is derived and not recorded.
  public let id: Int64?
  public let kind: Kind
  /// When a sync detected the change; for an expiring offer, when its last 48 hours began.
  public let at: Date
  /// The offer in its current state.
  public let offer: Offer
  /// The reward before and after the change, if it changed.
  public let oldReward: Reward?
  public let newReward: Reward?
  /// The offer's reward right after the change.
  public let reward: Reward?
  /// The JSON names of the fields that changed.
  public let fields: [String]
  /// The likely counterpart under another id. For a new offer: a gone favorite of the same feed
  /// with the same name and description. For a gone favorite: the offer that probably replaces it.
  public let returned: OfferRef?

  public init(
    id: Int64?, kind: Kind, at: Date, offer: Offer, oldReward: Reward? = nil,
    newReward: Reward? = nil, reward: Reward?, fields: [String] = [], returned: OfferRef? = nil
  ) {
    self.id = id
    self.kind = kind
    self.at = at
    self.offer = offer
    self.oldReward = oldReward
    self.newReward = newReward
    self.reward = reward
    self.fields = fields
    self.returned = returned
  }

  /// How long before its end an offer counts as expiring, in seconds.
  public static let expiringSeconds = 48.0 * 3600
}

/// Selects changes, ordered from the oldest to the newest.
public struct ChangeQuery: Hashable, Sendable {
  /// Only changes at this time or later; nil for all. For recorded changes `afterID` takes
  /// precedence, because a sync that began earlier may have committed later.
  public var since: Date?
  /// Only recorded changes after this one; nil for all.
  public var afterID: Int64?
  /// Only changes of favorites.
  public var favoritesOnly = false
  /// Only changes of these kinds; nil for all.
  public var kinds: Set<OfferChange.Kind>?
  /// Only changes of this feed; nil for all.
  public var feed: String?
  /// The maximum number of changes, counted from the newest; nil for all.
  public var limit: Int?
  /// The current time, which determines the offers that are expiring.
  public var now: Date
  /// Of what expires since `since`, only what comes behind this offer: where the page before ended.
  public var afterExpiring: ExpiringPlace?
  /// Longer texts of the offers are cut to so many bytes, and lists to their first elements; nil for
  /// whole offers.
  public var textBytes: Int?

  public init(since: Date? = nil, now: Date) {
    self.since = since
    self.now = now
  }
}

/// A place among the offers that expire.
public struct ExpiringPlace: Hashable, Sendable {
  /// When the last 48 hours of an offer began.
  public let at: Date
  /// The store's own number of that offer.
  public let offerKey: Int64

  public init(at: Date, offerKey: Int64) {
    self.at = at
    self.offerKey = offerKey
  }
}

/// A page of changes, oldest first.
public struct ChangePage: Hashable, Sendable {
  /// The recorded changes in their order, then the expiring offers.
  public let changes: [OfferChange]
  /// The number of the recorded change after which the next page begins.
  public let lastID: Int64
  /// Whether more changes are recorded. Only the last page lists expiring offers.
  public let hasMore: Bool
  /// Where among what expires the next page begins; nil while recorded changes are left, and at the
  /// end.
  public let lastExpiring: ExpiringPlace?

  public init(
    changes: [OfferChange], lastID: Int64, hasMore: Bool, lastExpiring: ExpiringPlace? = nil
  ) {
    self.changes = changes
    self.lastID = lastID
    self.hasMore = hasMore
    self.lastExpiring = lastExpiring
  }
}

/// A reader's position in the recorded changes.
public struct ReaderMark: Hashable, Sendable {
  /// The number of the newest change that was read; 0 for none.
  public let changeID: Int64
  public let readAt: Date

  public init(changeID: Int64, readAt: Date) {
    self.changeID = changeID
    self.readAt = readAt
  }
}

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

/// Reads changes and keeps the position of each reader. No call waits for the network.
public protocol ChangeRepository: Sendable {
  /// The changes that a query selects, oldest first, and the number of the newest change recorded
  /// at that time: the mark to set once the changes were shown.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  func fetchChanges(_ query: ChangeQuery) async throws -> (changes: [OfferChange], lastID: Int64)

  /// A page of the changes that a query selects, for incremental readers: the limit counts from the
  /// oldest change, and `lastID` is the position of the next page.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, `invalidRequest` for an `afterID`
  ///   that the database has not recorded.
  func fetchChangePage(_ query: ChangeQuery) async throws -> ChangePage

  /// The mark of a reader; nil for one that has never read.
  func findMark(of reader: String) async throws -> ReaderMark?

  /// Advances a reader's mark. A mark never moves back.
  func setMark(_ mark: ReaderMark, of reader: String) async throws

  /// The history of an offer's reward, oldest first. It begins when the offer was new, or with the
  /// oldest change that is still kept.
  ///
  /// - Throws: `OffersError` with `notFound` or `ambiguous`.
  func fetchHistory(named text: String) async throws -> (offer: Offer, points: [RewardPoint])

  /// The latest points of that history within bounds, oldest first: one at least.
  ///
  /// - Throws: as `fetchHistory(named:)`.
  func fetchHistory(named text: String, _ bounds: HistoryBounds) async throws -> HistoryPage
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

/// The number of rows that pruning removed, or would remove.
public struct PruneCounts: Hashable, Sendable {
  public var offers = 0
  public var changes = 0
  public var runs = 0

  public init() {}
}

/// Removes old offers and history.
public protocol PruneRepository: Sendable {
  /// Removes gone offers that are not favorites, with their changes, and history past its bound.
  ///
  /// - Parameters:
  ///   - goneBefore: offers that were already gone at this time are removed.
  ///   - now: the current time; history is kept for a bounded time before it.
  ///   - isTrial: whether to count only and remove nothing.
  func prune(goneBefore: Date, now: Date, isTrial: Bool) async throws -> PruneCounts
}
