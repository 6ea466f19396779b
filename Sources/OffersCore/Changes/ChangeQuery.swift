import Foundation

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
