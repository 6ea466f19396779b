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
  /// Only offers after this position in the list's order: `OfferPage.next` of the previous page.
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

/// The position of an offer in a sorted list: a cursor for keyset pagination. It keeps the sort
/// keys that the offer had, so that a list read page by page omits no offer that was in it
/// throughout, even when offers change in between.
public struct OfferPosition: Hashable, Sendable {
  /// A component of the sort key of an offer.
  package enum Value: Hashable, Sendable {
    /// The offer has no value to sort by.
    case none
    /// A number to sort by, such as an amount in minor units.
    case number(Int64)
    /// A text to sort by.
    case text(String)
  }

  /// The offer, which breaks ties: offers with equal keys are in the feeds' order.
  public let ref: OfferRef
  /// The sort keys, most significant first; empty to use those that the offer has now.
  package let values: [Value]

  /// The position of an offer with the values of `init(of:in:)` for the same list, or without any.
  package init(_ ref: OfferRef, values: [Value] = []) {
    self.ref = ref
    self.values = values
  }

  /// The position of an offer in the list of a query, with its current values.
  public init(of offer: Offer, in query: OfferQuery) {
    let isPriced = query.pricedFeeds.contains(offer.ref.feed)
    let values: [Value] =
      switch query.sort {
      case .feed: []
      case .reward: Self.values(of: offer.reward, isLast: isPriced)
      case .price: Self.values(of: offer.reward, isLast: !isPriced)
      case .name: [.text(offer.name)]
      case .newest: [.number(offer.firstSeenAt.storedSeconds)]
      case .expiry:
        [offer.expiresAt.map { .number($0.storedSeconds) } ?? .none]
      }
    let expired: [Value] =
      query.selection.sortsExpiredLast
      ? [.number(offer.isExpired(at: query.now ?? Date()) ? 1 : 0)] : []
    self.init(offer.ref, values: expired + values)
  }

  /// The sort keys of a reward or price: kind, currency, amount, percentage, and whether it is
  /// "up to" that.
  ///
  /// - Parameters:
  ///   - reward: the value of the offer.
  ///   - isLast: whether the value is not the kind of value that the list is sorted by.
  private static func values(of reward: Reward?, isLast: Bool) -> [Value] {
    let upTo = Value.number(reward?.isUpTo == true ? 1 : 0)
    func kind(_ number: Int64) -> Value { .number(isLast ? 4 : number) }
    return switch reward?.value {
    case .amount(let units, _):
      [kind(0), reward?.storedCurrency.map { .text($0) } ?? .none, .number(units), .none, upTo]
    case .percent(let hundredths): [kind(1), .none, .none, .number(hundredths), upTo]
    case nil: [kind(reward == nil ? 3 : 2), .none, .none, .none, upTo]
    }
  }
}

/// A page of a list.
public struct OfferPage: Hashable, Sendable {
  /// The offers of the page, in the list's order.
  public let offers: [UserOffer]
  /// The position after which the next page begins (`OfferQuery.after`); nil for the last page.
  public let next: OfferPosition?

  /// Creates an offer page of its parts; the properties describe them.
  public init(offers: [UserOffer], next: OfferPosition? = nil) {
    self.offers = offers
    self.next = next
  }
}
