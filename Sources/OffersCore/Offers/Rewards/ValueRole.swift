/// The meaning of an offer's value for the user.
///
/// Both kinds of values are stored in `Offer.reward`. Which one a feed has is stated by its
/// definition (`KnownFeed.presentation`), and kept with the feed (`FeedRepository.fetchPresentations()`).
public enum ValueRole: String, Sendable, Hashable, CaseIterable {
  /// The offer pays the user, such as cash back or a discount.
  case reward
  /// The user pays the value.
  case price
}
