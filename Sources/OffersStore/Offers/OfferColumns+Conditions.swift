/// Conditions on offers.
extension OfferColumns {
  /// Whether an offer is a favorite of any user, for queries over `OfferColumns.source`.
  package static let isStarred = """
    EXISTS (SELECT 1 FROM favorite AS star WHERE star.feed = feed.name AND star.id = offer.id)
    """

  /// Whether an offer is in the lists of its feed: one that the feed has, or one that only a search on
  /// its server found and that somebody starred. The query may be over `offer` alone.
  package static let isCurrent = """
    (offer.gone_at IS NULL AND (offer.found_at IS NULL OR EXISTS (
      SELECT 1 FROM feed AS home JOIN favorite AS star ON star.feed = home.name
      WHERE home.feed_key = offer.feed_key AND star.id = offer.id)))
    """
}
