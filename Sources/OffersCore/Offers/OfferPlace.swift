import Foundation

/// Where an offer stood in a list, to go on behind it. It stays where it is when the offer changes,
/// so that a list read page by page leaves nothing out that was in it all the while.
public struct OfferPlace: Hashable, Sendable {
  /// One of the things that an order goes by.
  public enum Value: Hashable, Sendable {
    case none
    case number(Int64)
    case text(String)
  }

  /// The offer. Equal ones come in the feeds' order.
  public let ref: OfferRef
  /// What the list's order went by, one after the other; empty for what the offer has now.
  public let values: [Value]

  /// - Parameter values: as `init(of:by:)` gave them for the same order.
  public init(_ ref: OfferRef, values: [Value] = []) {
    self.ref = ref
    self.values = values
  }

  /// The place of an offer as it is.
  public init(of offer: Offer, by sort: OfferQuery.Sort) {
    let values: [Value] =
      switch sort {
      case .feed: []
      case .reward: Self.values(of: offer.reward)
      case .name: [.text(offer.name)]
      case .newest: [.number(Int64(offer.firstSeenAt.timeIntervalSince1970))]
      case .expiry:
        [offer.expiresAt.map { .number(Int64($0.timeIntervalSince1970)) } ?? .none]
      }
    self.init(offer.ref, values: values)
  }

  /// What kind it is, its currency, its amount, its percentage, and whether it is "up to" that.
  private static func values(of reward: Reward?) -> [Value] {
    let upTo = Value.number(reward?.isUpTo == true ? 1 : 0)
    return switch reward?.value {
    case .amount(let units, let currency):
      [.number(0), .text(currency), .number(units), .none, upTo]
    case .percent(let hundredths): [.number(1), .none, .none, .number(hundredths), upTo]
    case nil: [.number(reward == nil ? 3 : 2), .none, .none, .none, upTo]
    }
  }
}
