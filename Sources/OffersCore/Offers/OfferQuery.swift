import Foundation

/// Selects and orders offers. A criterion that is nil or false does not restrict the list.
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

  /// The minimum that a reward must pay. A reward "up to" that value qualifies.
  public enum RewardMinimum: Hashable, Sendable {
    /// An amount in one currency (ISO 4217), in its minor units.
    case amount(minorUnits: Int64, currency: String)
    /// An amount in several currencies, in minor units: for a currency in `others` the value of its code,
    /// for all other currencies `minorUnits`; nil leaves these out.
    case anyAmount(minorUnits: Int64?, others: [String: Int64])
    /// A percentage, in hundredths of a percent.
    case percent(hundredths: Int64)
  }

  /// The maximum that an offer may cost.
  public enum PriceMaximum: Hashable, Sendable {
    /// An amount in one currency (ISO 4217), in its minor units.
    case amount(minorUnits: Int64, currency: String)
    /// An amount in several currencies, in minor units: for a currency in `others` the value of its code,
    /// for all other currencies `minorUnits`; nil leaves these out.
    case anyAmount(minorUnits: Int64?, others: [String: Int64])
  }

  /// Only offers of this feed; nil for all.
  public var feed: String?
  /// Only favorites, including gone ones.
  public var favoritesOnly: Bool
  /// Only offers that are gone from their feed and still kept.
  public var goneOnly: Bool
  /// Only offers of this retailer, compared by `NaturalOrder`: case and accents are ignored.
  public var retailer: String?
  /// Only offers with this category, compared in the same way.
  public var category: String?
  /// Only offers whose reward has an exact value of at least this minimum. An amount excludes
  /// percentages, and vice versa.
  ///
  /// Offers of `pricedFeeds` have no reward.
  public var rewardMinimum: RewardMinimum?
  /// Only offers of `pricedFeeds` whose price has an exact value of at most this maximum.
  public var priceMaximum: PriceMaximum?
  /// The feeds whose values are prices (`ValueRole.price`).
  public var pricedFeeds: Set<String> = []
  /// Only offers first seen at this time or later.
  public var newSince: Date?
  /// Only offers that expire within this range, bounds included, expired ones too.
  public var expiring: ClosedRange<Date>?
  /// Whether expired offers are selected as well. Lists of favorites and of gone offers, and those
  /// with a range of `expiring`, have them in any case.
  public var includesExpired: Bool
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

  /// Creates a query. Without arguments it selects all current offers that have not expired, in the
  /// order of their feeds.
  public init(
    feed: String? = nil, favoritesOnly: Bool = false, goneOnly: Bool = false,
    retailer: String? = nil, category: String? = nil, rewardMinimum: RewardMinimum? = nil,
    newSince: Date? = nil, expiring: ClosedRange<Date>? = nil, includesExpired: Bool = false,
    now: Date? = nil, sort: Sort = .feed, isReversed: Bool = false, limit: Int? = nil,
    offset: Int = 0, after: OfferPosition? = nil, textBytes: Int? = nil
  ) {
    self.feed = feed
    self.favoritesOnly = favoritesOnly
    self.goneOnly = goneOnly
    self.retailer = retailer
    self.category = category
    self.rewardMinimum = rewardMinimum
    self.newSince = newSince
    self.expiring = expiring
    self.includesExpired = includesExpired
    self.now = now
    self.sort = sort
    self.isReversed = isReversed
    self.limit = limit
    self.offset = offset
    self.after = after
    self.textBytes = textBytes
  }

  /// Whether expired offers are left out.
  package var excludesExpired: Bool {
    !includesExpired && !favoritesOnly && !goneOnly && expiring == nil
  }

  /// Whether expired offers are sorted behind all others.
  package var sortsExpiredLast: Bool {
    (includesExpired || favoritesOnly) && !goneOnly && expiring == nil
  }

  /// Whether the query, without its limit and offset, selects all current offers of one feed or of
  /// all feeds, apart from expired ones.
  package var isWholeFeed: Bool {
    !favoritesOnly && !goneOnly && retailer == nil && category == nil && rewardMinimum == nil
      && priceMaximum == nil && newSince == nil && expiring == nil && after == nil
  }
}
