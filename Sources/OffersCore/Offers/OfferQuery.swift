import Foundation

/// Selects and orders offers.
@dynamicMemberLookup
public struct OfferQuery: Hashable, Sendable {
  /// The order of a list. Offers without the sorted value come last, even in a reversed list.
  /// Expired offers come after all others in a list of favorites and with `includesExpired`.
  public enum Sort: String, Hashable, Sendable, CaseIterable {
    /// The order in which syncs first found the offers, over all feeds.
    case feed
    /// Amounts by currency, the highest first; then percentages, the highest first; then rewards
    /// without an exact value. An "up to" reward comes after an equal one without it.
    ///
    /// Offers of `pricedFeeds` come after all others.
    case reward
    /// The prices of the offers of `pricedFeeds`, by currency, the lowest first. All other offers
    /// come after them.
    case price
    /// By `NaturalOrder`: case and accents are ignored, and `2 oz.` precedes `10 oz.`.
    case name
    /// The most recently first seen offers first.
    case newest
    /// The offers that expire soonest first.
    case expiry
  }

  /// Which offers are listed. Its properties are also those of the query: `query.feed` is
  /// `query.selection.feed`.
  public var selection = Selection()
  /// The feeds whose values are prices (`ValueRole.price`).
  public var pricedFeeds: Set<String> = []
  /// The time at which offers count as expired; nil for the time of the call.
  public var now: Date?
  /// The order of the list.
  public var sort: Sort
  /// Whether the order is reversed. For `Sort.reward` and `Sort.price`, kinds and currencies keep their order.
  public var isReversed: Bool
  /// The maximum number of offers; nil for all.
  public var limit: Int?
  /// The number of offers to skip at the beginning.
  public var offset: Int
  /// Only offers after this position in the list's order: that of the previous page's last offer.
  /// With `Sort.feed`, the time for a page does not depend on the number of pages before it.
  public var after: OfferPosition?
  /// The size to which the texts of an offer are truncated, in bytes of UTF-8, for lists that show
  /// only part of an offer. Its categories and its attributes keep the first elements, of at most 8
  /// times that size in total for each list. Addresses are not truncated, but omitted if they are
  /// longer than `OfferLimits.linkBytes`. Nil for whole offers.
  public var textBytes: Int?

  /// Accesses the selection.
  public subscript<Value>(dynamicMember path: WritableKeyPath<Selection, Value>) -> Value {
    get { selection[keyPath: path] }
    set { selection[keyPath: path] = newValue }
  }

  /// Creates a query. Without arguments it selects all current offers that have not expired, in the
  /// order of their feeds.
  public init(
    feed: String? = nil, favoritesOnly: Bool = false, goneOnly: Bool = false,
    retailer: String? = nil, category: String? = nil, rewardMinimum: ValueBound? = nil,
    newSince: Date? = nil, expiring: ClosedRange<Date>? = nil, includesExpired: Bool = false,
    now: Date? = nil, sort: Sort = .feed, isReversed: Bool = false, limit: Int? = nil,
    offset: Int = 0, after: OfferPosition? = nil, textBytes: Int? = nil
  ) {
    selection.feed = feed
    selection.favoritesOnly = favoritesOnly
    selection.goneOnly = goneOnly
    selection.retailer = retailer
    selection.category = category
    selection.rewardMinimum = rewardMinimum
    selection.newSince = newSince
    selection.expiring = expiring
    selection.includesExpired = includesExpired
    self.now = now
    self.sort = sort
    self.isReversed = isReversed
    self.limit = limit
    self.offset = offset
    self.after = after
    self.textBytes = textBytes
  }
}
