/// Marks offers as favorites. A favorite is user data: once a call returns, the mark survives a
/// crash and a power cut, and no sync removes it.
///
/// A call that is cancelled before its transaction is committed throws `CancellationError`, and
/// nothing is written.
public protocol FavoriteRepository: Sendable {
  /// Sets or clears the favorite mark of offers, in one transaction. The call is idempotent.
  ///
  /// - Returns: a result for each reference, in their order.
  /// - Throws: `OffersError` with `notFound` for an offer that is not stored; nothing is written
  ///   then.
  @discardableResult
  func setFavorites(_ refs: [OfferRef], to isFavorite: Bool) async throws -> [FavoriteChange]

  /// Sets or clears the favorite mark of the offers that a person named, in one transaction.
  ///
  /// The default implementation accepts references only, and no bare ids.
  ///
  /// - Parameters:
  ///   - names: references or bare ids: `ibotta:110579` or `110579`.
  ///   - isFavorite: the mark to set. The call is idempotent.
  /// - Throws: `OffersError` with `notFound` or `ambiguous`; nothing is written then.
  @discardableResult
  func setFavorites(named names: [String], to isFavorite: Bool) async throws -> [FavoriteChange]
}

extension FavoriteRepository {
  @discardableResult
  public func setFavorites(
    named names: [String], to isFavorite: Bool
  ) async throws -> [FavoriteChange] {
    try await setFavorites(names.map { try OfferRef(named: $0) }, to: isFavorite)
  }
}

/// The result of setting or clearing the favorite mark of one offer.
public struct FavoriteChange: Hashable, Sendable {
  /// The offer after the call.
  public let offer: UserOffer
  /// False when the offer already had the requested mark.
  public let didChange: Bool

  /// Creates a favorite change of its parts; the properties describe them.
  public init(offer: UserOffer, didChange: Bool) {
    self.offer = offer
    self.didChange = didChange
  }
}
