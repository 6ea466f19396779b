import Foundation

/// Selects changes, ordered from the oldest to the newest.
public struct ChangeQuery: Hashable, Sendable {
  /// Only changes at this time or later; nil for all. Recorded changes are selected by `afterID`
  /// alone when it is set, because a sync that began before this time may have committed after it.
  public var since: Date?
  /// Only recorded changes after this one; nil for all.
  public var afterID: Int64?
  /// Only changes of favorites. The first sync of a feed is none.
  public var favoritesOnly: Bool
  /// Only changes of these kinds; nil for all.
  public var kinds: Set<OfferChange.Kind>?
  /// Only changes of this feed; nil for all.
  public var feed: String?
  /// The maximum number of changes. Of the recorded ones, those that were recorded last are selected,
  /// or by `ChangeRepository.fetchChangePage(_:)` those that were recorded first. Nil for all.
  public var limit: Int?
  /// The current time, which determines the offers that are expiring.
  public var now: Date
  /// Only expiring offers after this position: `lastExpiring` of the previous page. Nil for all.
  public var afterExpiring: ExpiringPosition?
  /// The size to which the texts of offers and rewards are truncated, in bytes of UTF-8, under the
  /// rules of `OfferQuery.textBytes`. Nil for whole offers.
  public var textBytes: Int?
  /// Only changes of these offers, without the first sync of a feed; nil for all. Few, such as those of a
  /// page: each is looked up.
  package var offers: Set<OfferRef>?

  /// Creates a query. Without arguments it selects all changes.
  public init(
    since: Date? = nil, afterID: Int64? = nil, favoritesOnly: Bool = false,
    kinds: Set<OfferChange.Kind>? = nil, feed: String? = nil, limit: Int? = nil, now: Date
  ) {
    self.since = since
    self.afterID = afterID
    self.favoritesOnly = favoritesOnly
    self.kinds = kinds
    self.feed = feed
    self.limit = limit
    self.now = now
  }
}

/// A position in the list of expiring offers: the cursor of the next page.
public struct ExpiringPosition: Hashable, Sendable {
  /// When the offer's last 48 hours began.
  public let at: Date
  /// The store's key of the offer.
  public let offerKey: Int64

  /// Creates a position of its parts; the properties describe them.
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
  /// Whether there is a next page. Expiring offers are listed after the last recorded change, if
  /// necessary on several pages.
  public let hasMore: Bool
  /// The expiring offer after which the next page begins; nil while recorded changes remain, and on
  /// the last page.
  public let lastExpiring: ExpiringPosition?

  /// Creates a change page of its parts; the properties describe them.
  public init(
    changes: [OfferChange], lastID: Int64, hasMore: Bool, lastExpiring: ExpiringPosition? = nil
  ) {
    self.changes = changes
    self.lastID = lastID
    self.hasMore = hasMore
    self.lastExpiring = lastExpiring
  }
}
