/// Reads offers as the user sees them to whom the store is bound. No call waits for the network or for a sync. A call that is cancelled throws
/// `CancellationError`.
public protocol OfferRepository: Sendable {
  /// The offer, or nil when the database does not have it.
  func findOffer(_ ref: OfferRef) async throws -> UserOffer?

  /// The offer that a person named: by a full reference such as `ibotta:110579`, or a bare id such
  /// as `110579`. The default implementation accepts references only.
  ///
  /// - Throws: `OffersError` with `notFound`, or with `ambiguous` when several feeds have the bare
  ///   id; the hint names them.
  func fetchOffer(named text: String) async throws -> UserOffer

  /// The offers that a query selects: current ones, and gone ones only with `favoritesOnly` or
  /// `goneOnly`.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, and with `invalidRequest` when
  ///   the offer of `after` has been pruned, or its position belongs to another order.
  func fetchOffers(_ query: OfferQuery) async throws -> [UserOffer]

  /// The first offers that `fetchOffers` returns for the query, as many as have at most
  /// `maximumBytes` of texts in total, but at least one if the query selects any. Set
  /// `OfferQuery.after` to the last one's position for the next page.
  ///
  /// - Throws: as `fetchOffers`.
  func fetchOfferPage(_ query: OfferQuery, maximumBytes: Int) async throws -> OfferPage

  /// The number of offers that a query selects, ignoring its limit and offset.
  func countOffers(_ query: OfferQuery) async throws -> Int
}

extension OfferRepository {
  public func fetchOffer(named text: String) async throws -> UserOffer {
    let ref = try OfferRef(named: text)
    if let offer = try await findOffer(ref) { return offer }
    throw OffersError(.notFound, "There is no offer “\(ref)”.")
  }
}

/// A page of a list.
public struct OfferPage: Hashable, Sendable {
  /// The offers of the page, in the list's order.
  public let offers: [UserOffer]
  /// Whether the list has more offers after this page.
  public let hasMore: Bool

  /// Creates an offer page of its parts; the properties describe them.
  public init(offers: [UserOffer], hasMore: Bool) {
    self.offers = offers
    self.hasMore = hasMore
  }
}

extension OfferRepository {
  /// The number of expired offers that the list of a query leaves out; 0 for a list with them.
  package func countExpired(leftOutOf query: OfferQuery) async throws -> Int {
    guard query.selection.excludesExpired else { return 0 }
    var whole = query
    whole.includesExpired = true
    return try await countOffers(whole) - countOffers(query)
  }
}
