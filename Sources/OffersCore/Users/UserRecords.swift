/// A store that keeps a record for each of its users: their favorites, recent searches, read marks and
/// notices. Offers, feeds, changes and images are shared by all.
///
/// A store is always bound to one user, at first to the owner: it marks, lists and counts that user's
/// favorites among the offers, and no call reads or writes the record of another user. A program that
/// serves several users binds the store for each of them:
///
/// ```swift
/// let favorites = try await store.record(of: ana).fetchOffers(OfferQuery(favoritesOnly: true))
/// ```
///
/// The binding outlives the user. Once they are removed, their record is empty for every read, and each
/// write to it throws `OffersError` with `notFound`. No later user gets their number.
public protocol UserRecords: Sendable {
  /// The same store, bound to a user. It needs no call to the store and shares all resources with this
  /// one, so that it can be made for each request; closing one closes both.
  func record(of user: User) -> Self
}
