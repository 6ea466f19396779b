import OffersCore
import OffersStore

/// Conditions on offers, for queries over `offer` and `feed`.
extension OfferColumns {
  static let selection = columns(.postgres)
  static let tables = source(.postgres)

  /// The condition that an offer has a name, which the index `offer_by_name` finds.
  ///
  /// - Parameter name: an SQL expression.
  static func hasName(_ name: String) -> String {
    "substr(offer.name, 1, 64) = substr(\(name), 1, 64) AND offer.name = \(name)"
  }
}
