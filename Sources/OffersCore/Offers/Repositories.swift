/// Reads offers. No call waits for the network or for a sync.
public protocol OfferRepository: Sendable {
  /// The offer, or nil when the database does not have it.
  func findOffer(_ ref: OfferRef) async throws -> Offer?

  /// The offer with a full reference such as `ibotta:110579`, or a bare id such as `110579`.
  ///
  /// - Throws: `OffersError` with `notFound`, or with `ambiguous` when several feeds have the bare
  ///   id; the message names them.
  func fetchOffer(named text: String) async throws -> Offer

  /// The offers that a query selects: current ones, and gone ones only with `favoritesOnly` or
  /// `goneOnly`.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, and with `invalidRequest` when
  ///   the offer of `after` has been pruned, or its place belongs to another order.
  func fetchOffers(_ query: OfferQuery) async throws -> [Offer]

  /// The offers that `fetchOffers` gives, up to the first that does not fit into so many bytes of
  /// texts: one at least, where there is any. The next page begins behind the last of them.
  ///
  /// - Throws: as `fetchOffers`.
  func fetchOfferPage(_ query: OfferQuery, maximumBytes: Int) async throws -> OfferPage

  /// The number of offers that a query selects, ignoring its limit and offset.
  func countOffers(_ query: OfferQuery) async throws -> Int
}

/// A page of a list.
public struct OfferPage: Hashable, Sendable {
  /// In the list's order.
  public let offers: [Offer]
  /// Whether there are more behind them.
  public let hasMore: Bool

  public init(offers: [Offer], hasMore: Bool) {
    self.offers = offers
    self.hasMore = hasMore
  }
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

/// Reads feeds and manages subscriptions.
public protocol FeedRepository: Sendable {
  /// The subscribed feeds, sorted by name.
  func fetchFeeds() async throws -> [Feed]

  /// The feeds that were unsubscribed or never synced successfully, sorted by name.
  func fetchFormerFeeds() async throws -> [FormerFeed]

  /// The source of a feed, even of an unsubscribed one; nil for an unknown feed.
  func findSource(of feed: String) async throws -> String?

  /// Subscribes to a feed, so that it is included when all feeds are synced.
  ///
  /// - Parameter source: the source to record if the feed is unknown.
  /// - Returns: false when the feed was already subscribed.
  func subscribe(to feed: String, source: String) async throws -> Bool

  /// Unsubscribes from a feed, so that it is no longer synced with the others. Its offers and
  /// favorites stay. Syncing it by name subscribes again, with the remembered source.
  ///
  /// - Returns: false when the feed was not subscribed.
  func unsubscribe(from feed: String) async throws -> Bool
}
