import Foundation

/// An offer as a user sees it: with that user's own marks. The offer's fields are read as its own, as in
/// `offer.name`.
@dynamicMemberLookup
public struct UserOffer: Hashable, Sendable, Identifiable, Codable {
  /// The offer, which is the same for all users.
  public let offer: Offer
  /// Whether the user marked the offer as a favorite.
  public let isFavorite: Bool

  /// Creates the view of an offer, as for a preview or a test.
  public init(_ offer: Offer, isFavorite: Bool = false) {
    self.offer = offer
    self.isFavorite = isFavorite
  }

  /// The reference, which is unique among all feeds.
  public var id: OfferRef { offer.ref }

  /// A field of the offer.
  public subscript<Value>(dynamicMember field: KeyPath<Offer, Value>) -> Value {
    offer[keyPath: field]
  }

  /// Whether the offer's end has passed at a time; false for an offer without an end.
  public func isExpired(at now: Date) -> Bool { offer.isExpired(at: now) }

  /// The view with the offer's texts truncated; see `Offer.abridged(toBytes:)`.
  package func abridged(toBytes limit: Int) -> UserOffer {
    UserOffer(offer.abridged(toBytes: limit), isFavorite: isFavorite)
  }
}
