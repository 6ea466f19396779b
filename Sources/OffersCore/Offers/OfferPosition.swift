import Foundation

/// The position of an offer in a sorted list: a cursor for keyset pagination. It keeps the sort
/// keys that the offer had, so that a list read page by page omits no offer that was in it
/// throughout, even when offers change in between.
public struct OfferPosition: Hashable, Sendable {
  /// A sort key.
  public enum Value: Hashable, Sendable {
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
  public let values: [Value]

  /// The position of an offer with the values of `init(of:in:)` for the same list, or without any.
  public init(_ ref: OfferRef, values: [Value] = []) {
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
