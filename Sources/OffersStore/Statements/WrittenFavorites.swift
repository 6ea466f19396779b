import OffersCore

/// The outcome of a write of favorites of one user.
package struct WrittenFavorites: Sendable {
  package let changes: [FavoriteChange]
  /// Whether each of the offers is a favorite since the write; nil if the write changed what others see
  /// as well, such as the list of the household.
  package let states: [OfferRef: Bool]?
}
