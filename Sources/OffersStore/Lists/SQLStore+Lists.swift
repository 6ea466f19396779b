import Foundation
import OffersCore

/// The lists of `OfferRepository`, and the pages of `LongListRepository`.
extension SQLStore {
  public func fetchOffers(_ query: OfferQuery) async throws -> [UserOffer] {
    try await fetchOfferPage(query, maximumBytes: .max).offers
  }

  public func fetchOfferPage(
    _ query: OfferQuery, maximumBytes: Int
  ) async throws -> OfferPage {
    try await transaction(.read) { transaction in
      let limit = query.limit.map { max(0, $0) }
      // One key more than the page has shows whether there is a next page.
      let keys = try self.selectOffers(query, in: transaction).keys(
        offset: max(0, query.offset), limit: limit?.adding(clamped: 1), in: transaction)
      let (offers, count) = try OfferTable.page(
        keys: keys.prefix(limit ?? .max), of: self.user, maximumBytes: maximumBytes,
        textBytes: query.textBytes, in: transaction)
      return OfferPage(offers: offers, hasMore: count < keys.count)
    }
  }

  public func countOffers(_ query: OfferQuery) async throws -> Int {
    try await transaction(.read) { transaction in
      guard query.selection.isWholeFeed, query.after == nil else {
        return try self.selectOffers(query, in: transaction).count(in: transaction)
      }
      let feedKey = try query.feed.map { try self.fetchReadKey(of: $0, in: transaction) }
      let count = try ListCount.current(feedKey: feedKey, in: transaction)
      if query.includesExpired { return count }
      let now = query.now ?? Date()
      return count - (try ListCount.expired(feedKey: feedKey, at: now, in: transaction))
    }
  }

  package func pages(of query: OfferQuery) -> any OfferPages { KeyedOfferPages(query, self) }

  /// - Parameter lastKey: as in `SelectedOffers`.
  /// - Throws: `OffersError`: `notFound` for an unknown feed, `invalidRequest` for a position of another
  ///   list.
  func selectOffers(
    _ query: OfferQuery, behind lastKey: Int64? = nil, in transaction: any Transaction
  ) throws -> SelectedOffers {
    try SelectedOffers(
      query, of: user,
      feedKey: query.feed.map { try fetchReadKey(of: $0, in: transaction) }, behind: lastKey,
      in: transaction)
  }
}

/// `FacetRepository`.
extension SQLStore {
  public func fetchRetailers(of feed: String?) async throws -> [String] {
    try await transaction(.read) { try OfferFacets.retailers(of: feed, in: $0) }
  }

  public func fetchCategories(of feed: String?) async throws -> [String] {
    try await transaction(.read) { try OfferFacets.categories(of: feed, in: $0) }
  }
}
