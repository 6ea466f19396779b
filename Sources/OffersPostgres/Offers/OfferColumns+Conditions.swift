import OffersCore
import OffersStore

/// Conditions on offers, for queries over `offer` and `feed`.
extension OfferColumns {
  static let selection = columns(.postgres)
  static let tables = source(.postgres)

  /// Whether an offer is a favorite of any user.
  static let isStarred = """
    EXISTS (SELECT 1 FROM favorite AS star WHERE star.feed = feed.name AND star.id = offer.id)
    """

  /// The condition that an offer has a name, which the index `offer_by_name` finds.
  ///
  /// - Parameter name: an SQL expression.
  static func hasName(_ name: String) -> String {
    "left(offer.name, 64) = left(\(name), 64) AND offer.name = \(name)"
  }

  /// Whether an offer is in the lists of its feed: one that the feed has, or one that only a search on
  /// its server found and that somebody starred.
  static let isCurrent = """
    (offer.gone_at IS NULL AND (offer.found_at IS NULL OR \(isStarred)))
    """
}
