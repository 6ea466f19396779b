/// Reads offers. No call waits for the network or for a sync.
public protocol OfferRepository: Sendable {
  /// The offer, or nil when the database does not have it.
  func findOffer(_ ref: OfferRef) async throws -> Offer?

  /// The offer that a person means by `ibotta:110579` or `110579`.
  ///
  /// - Throws: `OffersError` with `notFound`, or with `ambiguous` when several feeds have the bare
  ///   id; the message names them.
  func fetchOffer(named text: String) async throws -> Offer

  /// The offers a query selects: current ones, and gone ones only among favorites and where they
  /// are asked for.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, and with `invalidRequest` where
  ///   the offer that `after` stands behind was cleared away, or the place is one of another order.
  func fetchOffers(_ query: OfferQuery) async throws -> [Offer]

  /// The offers that `fetchOffers` gives, up to the first that does not fit into so many bytes of
  /// texts: one at least, where there is any. The next page begins behind the last of them.
  ///
  /// - Throws: as `fetchOffers`.
  func fetchOfferPage(_ query: OfferQuery, maximumBytes: Int) async throws -> OfferPage

  /// How many offers a query selects, its limit and offset aside.
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

/// What marking one offer did.
public struct FavoriteChange: Hashable, Sendable {
  /// The offer as it stands now.
  public let offer: Offer
  /// False when it already was what was asked for.
  public let didChange: Bool

  public init(offer: Offer, didChange: Bool) {
    self.offer = offer
    self.didChange = didChange
  }
}

/// Marks offers. A favorite is user data: once a call returns it survives a crash or a power cut,
/// and no sync removes it.
public protocol FavoriteRepository: Sendable {
  /// Makes the named offers favorites, or all of them none. All of them, or none on an error.
  ///
  /// - Parameters:
  ///   - names: `ibotta:110579` or `110579`.
  ///   - isFavorite: the mark they should have. Setting it twice is no error.
  /// - Throws: `OffersError` with `notFound` or `ambiguous`; nothing was written then.
  func setFavorites(named names: [String], to isFavorite: Bool) async throws -> [FavoriteChange]
}

/// Reads what is known of the feeds, takes them up and gives them up.
public protocol FeedRepository: Sendable {
  /// The subscribed feeds, by name.
  func fetchFeeds() async throws -> [Feed]

  /// The feeds that were given up or never worked, by name.
  func fetchFormerFeeds() async throws -> [FormerFeed]

  /// Where a feed is read from, one that was given up, too; nil where nothing is known of it.
  func findSource(of feed: String) async throws -> String?

  /// Takes a feed up: it is synced with the others from now on.
  ///
  /// - Parameter source: where it is read from when nothing is known of it yet.
  /// - Returns: false when it was subscribed already.
  func subscribe(to feed: String, source: String) async throws -> Bool

  /// Gives a feed up: it is no longer synced with the others. Its offers and favorites stay, and
  /// syncing it by name takes it up again, from where it was read.
  ///
  /// - Returns: false when it was not subscribed.
  func unsubscribe(from feed: String) async throws -> Bool
}
