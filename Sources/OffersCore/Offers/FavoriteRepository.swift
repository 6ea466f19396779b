/// Marks offers as favorites. A favorite is user data: once a call returns, the mark survives a
/// crash and a power cut, and no sync removes it.
public protocol FavoriteRepository: Sendable {
  /// Sets or clears the favorite mark of the named offers, in one transaction.
  ///
  /// - Parameters:
  ///   - names: references or bare ids: `ibotta:110579` or `110579`.
  ///   - isFavorite: the mark to set. The call is idempotent.
  /// - Throws: `OffersError` with `notFound` or `ambiguous`; nothing is written then.
  func setFavorites(named names: [String], to isFavorite: Bool) async throws -> [FavoriteChange]
}

/// The result of marking one offer.
public struct FavoriteChange: Hashable, Sendable {
  /// The offer after the call.
  public let offer: Offer
  /// False when the offer already had the requested mark.
  public let didChange: Bool

  public init(offer: Offer, didChange: Bool) {
    self.offer = offer
    self.didChange = didChange
  }
}
