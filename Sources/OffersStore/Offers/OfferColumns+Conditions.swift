/// Conditions on offers, for queries over `OfferColumns.source`.
extension OfferColumns {
  /// Whether an offer is a favorite of any user.
  package static let isStarred = """
    EXISTS (SELECT 1 FROM favorite AS star WHERE star.feed = feed.name AND star.id = offer.id)
    """

  /// Whether an offer is in the lists of its feed: one that the feed has, or one that only a search on
  /// its server found and that somebody starred.
  package static let isCurrent = """
    (offer.gone_at IS NULL AND (offer.found_at IS NULL OR \(isStarred)))
    """
}
