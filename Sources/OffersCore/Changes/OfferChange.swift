import Foundation

/// Something that happened to an offer, as people want to hear of it.
public struct OfferChange: Hashable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    /// A sync saw it for the first time.
    case new
    /// Its exact reward rose, or fell.
    case up
    case down
    /// Something else about it differs: a text, or a reward that cannot be compared.
    case changed
    /// Its feed no longer has it, or has it again.
    case gone
    case back
    /// It ends within 48 hours.
    case expiring
  }

  /// The recorded change's number; nil for what is no recorded change: that an offer expires.
  public let id: Int64?
  public let kind: Kind
  /// When a sync saw it; for an expiring offer, when its last 48 hours began.
  public let at: Date
  /// The offer as it stands now.
  public let offer: Offer
  /// The reward before and after, where that differs.
  public let oldReward: Reward?
  public let newReward: Reward?
  /// The reward that the offer had then, after the change.
  public let reward: Reward?
  /// The names of the fields that differ, as JSON output names them.
  public let fields: [String]
  /// For a new offer: the favorite that is gone from the same feed and has the same name and
  /// description. It has probably come back under another id. For a favorite that is gone: the
  /// offer that it probably is by now.
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

  /// How long before its end an offer is expiring, in seconds.
  public static let expiringSeconds = 48.0 * 3600
}

/// Which changes to fetch, the newest last.
public struct ChangeQuery: Hashable, Sendable {
  /// Only what happened at this time or later; nil for all. For recorded changes `afterID` goes
  /// before it: a sync that began earlier may have ended later.
  public var since: Date?
  /// Only recorded changes behind this one; nil for all.
  public var afterID: Int64?
  /// Only changes of favorites.
  public var favoritesOnly = false
  /// Only these kinds; nil for all.
  public var kinds: Set<OfferChange.Kind>?
  /// Only this feed; nil for all.
  public var feed: String?
  /// Only the newest so many; nil for all.
  public var limit: Int?
  /// The time it is, to tell what expires.
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

/// Some of the changes, from the oldest on.
public struct ChangePage: Hashable, Sendable {
  /// The recorded ones in their order, then what expires.
  public let changes: [OfferChange]
  /// The recorded change behind which the next page begins.
  public let lastID: Int64
  /// Whether there are more by now. What expires stands behind all recorded changes.
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

/// How far somebody has read the changes.
public struct ReaderMark: Hashable, Sendable {
  /// The newest recorded change that was read; 0 for none.
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
  /// The reward from then on; nil when the feed says none.
  public let reward: Reward?

  public init(at: Date, event: Event, reward: Reward?) {
    self.at = at
    self.event = event
    self.reward = reward
  }
}

/// Reads what has changed, and remembers who has read it. No call waits for the network.
public protocol ChangeRepository: Sendable {
  /// The changes that a query selects, oldest first, and the newest recorded change there was when
  /// they were read: the mark to set once they are told.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed.
  func fetchChanges(_ query: ChangeQuery) async throws -> (changes: [OfferChange], lastID: Int64)

  /// The first of the changes that a query selects, for whoever reads on behind a change: its limit
  /// is of the oldest ones, and `lastID` is where the next page begins.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, `invalidRequest` for a change that
  ///   the database has not recorded.
  func fetchChangePage(_ query: ChangeQuery) async throws -> ChangePage

  /// How far a reader has come; nil for one that never read.
  func findMark(of reader: String) async throws -> ReaderMark?

  /// Moves a reader's mark. It never moves back.
  func setMark(_ mark: ReaderMark, of reader: String) async throws

  /// The history of an offer's reward, oldest first. It begins with the offer's first sight, or
  /// with the oldest change that is still kept.
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

/// What clearing away removed, or would remove.
public struct PruneCounts: Hashable, Sendable {
  public var offers = 0
  public var changes = 0
  public var runs = 0

  public init() {}
}

/// Clears away what nobody needs any more.
public protocol PruneRepository: Sendable {
  /// Removes offers that are gone and no favorites, with their changes, and history past its bound.
  ///
  /// - Parameters:
  ///   - goneBefore: offers that were gone by then are removed.
  ///   - now: the time it is; history is kept for a bounded time before it.
  ///   - isTrial: counts only, and removes nothing.
  func prune(goneBefore: Date, now: Date, isTrial: Bool) async throws -> PruneCounts
}
