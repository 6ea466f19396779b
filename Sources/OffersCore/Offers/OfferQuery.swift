import Foundation

/// Which offers to list, and in which order. What is nil or false does not narrow the list.
public struct OfferQuery: Hashable, Sendable {
  /// What a list goes by. Offers that have none of it come last, also in a reversed list.
  public enum Sort: String, Hashable, Sendable, CaseIterable {
    /// The order in which the feeds first printed them.
    case feed
    /// Amounts first, by currency and then the highest first, then percentages, the highest first,
    /// then rewards whose value is in doubt. Of equal ones, those that pay "up to" it come later.
    case reward
    /// As people look names up: whatever the case and the accents, and `2 oz.` before `10 oz.`.
    case name
    /// First seen last.
    case newest
    /// What expires soonest.
    case expiry
  }

  /// The least that a reward must pay. One that pays "up to" that much counts.
  public enum RewardMinimum: Hashable, Sendable {
    /// Money of one currency (ISO 4217), in its minor units.
    case amount(minorUnits: Int64, currency: String)
    /// Money of any currency: `minorUnits` where the unit has a hundred of them, and otherwise what
    /// stands beside the currency's code.
    case anyAmount(minorUnits: Int64, others: [String: Int64])
    /// Hundredths of a percent.
    case percent(hundredths: Int64)
  }

  /// Only this feed; nil for all.
  public var feed: String?
  /// Only favorites. They are listed when gone, too.
  public var favoritesOnly: Bool
  /// Only what is gone from its feed and still kept.
  public var goneOnly = false
  /// Only what this shop sells. Compared as names are sorted: case and accents do not matter.
  public var retailer: String?
  /// Only what has this category among its own; compared likewise.
  public var category: String?
  /// Only rewards of at least this much whose value is known. An amount leaves percentages out, and
  /// the other way round.
  public var rewardMinimum: RewardMinimum?
  /// Only what was first seen then or later.
  public var newSince: Date?
  /// Only what expires within this time, both ends included.
  public var expiring: ClosedRange<Date>?
  /// What the list goes by.
  public var sort = Sort.feed
  /// Whether the list is turned round.
  public var isReversed = false
  /// At most this many; nil for all.
  public var limit: Int?
  /// How many to leave out at the beginning.
  public var offset = 0
  /// Only what comes behind this place in the list's order: that of the last offer of the page
  /// before. In the feeds' order a page then costs no more than its own offers.
  public var after: OfferPlace?
  /// For a list that shows no more of an offer: longer texts are cut to so many bytes, and lists to
  /// their first elements; nil for whole offers.
  public var textBytes: Int?

  public init(
    feed: String? = nil, favoritesOnly: Bool = false, limit: Int? = nil, after: OfferPlace? = nil
  ) {
    self.feed = feed
    self.favoritesOnly = favoritesOnly
    self.limit = limit
    self.after = after
  }

  /// Whether it selects all that one feed or all of them have now.
  package var isWholeFeed: Bool {
    !favoritesOnly && !goneOnly && retailer == nil && category == nil && rewardMinimum == nil
      && newSince == nil && expiring == nil && after == nil
  }
}
