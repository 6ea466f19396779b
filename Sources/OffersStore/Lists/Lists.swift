import Foundation
import OffersCore

extension OffersDatabase {
  /// The offers that a query selects: current ones, and gone ones only with `favoritesOnly` or
  /// `goneOnly`.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, and with `invalidRequest` when
  ///   the offer of `after` has been pruned, or its position belongs to another order.
  public func fetchOffers(_ query: OfferQuery) async throws(OffersError) -> [UserOffer] {
    try await fetchOfferPage(query).offers
  }

  /// The first offers that `fetchOffers` returns for the query, as many as have at most
  /// `maximumBytes` of texts in total, but at least one if the query selects any. For the next page, set
  /// `OfferQuery.after` to the page's `next`.
  ///
  /// - Throws: as `fetchOffers`.
  public func fetchOfferPage(
    _ query: OfferQuery, maximumBytes: Int = .max
  ) async throws(OffersError) -> OfferPage {
    try await read { transaction in
      let limit = query.limit.map { max(0, $0) }
      // One key more than the page has shows whether there is a next page.
      let keys = try self.selectOffers(query, in: transaction).keys(
        offset: max(0, query.offset), limit: limit?.adding(clamped: 1), in: transaction)
      let (offers, count) = try OfferTable.page(
        keys: keys.prefix(limit ?? .max), of: self.user, maximumBytes: maximumBytes,
        textBytes: query.textBytes, in: transaction)
      guard count < keys.count, let last = offers.last?.offer else {
        return OfferPage(offers: offers)
      }
      // The store looks up the sort keys of an offer whose texts were truncated.
      return OfferPage(
        offers: offers,
        next: query.textBytes == nil ? OfferPosition(of: last, in: query) : OfferPosition(last.ref))
    }
  }

  /// The number of offers that a query selects, ignoring its limit and offset.
  public func countOffers(_ query: OfferQuery) async throws(OffersError) -> Int {
    try await read { transaction in
      guard query.selection.isWholeFeed, query.after == nil,
        try !HidingTable.isAny(of: self.user, in: transaction)
      else {
        return try self.selectOffers(query, in: transaction).count(in: transaction)
      }
      let feedKey = try query.feed.map { try self.fetchReadKey(of: $0, in: transaction) }
      let count = try ListCount.current(feedKey: feedKey, in: transaction)
      if query.includesExpired { return count }
      let now = query.now ?? Date()
      return count - (try ListCount.expired(feedKey: feedKey, at: now, in: transaction))
    }
  }

  /// The number of expired offers that the list of a query leaves out; 0 for a list with them.
  package func countExpired(leftOutOf query: OfferQuery) async throws(OffersError) -> Int {
    guard query.selection.excludesExpired else { return 0 }
    var whole = query
    whole.includesExpired = true
    return try await countOffers(whole) - countOffers(query)
  }

  /// The offers that a query selects, to be read page by page. Nothing is read before the first page.
  package func pages(of query: OfferQuery) -> OfferPages { OfferPages(query, self) }

  /// The offers that a query selects, within the caller's transaction.
  ///
  /// - Parameter lastKey: as in `SelectedOffers`.
  /// - Throws: `OffersError`: `notFound` for an unknown feed, `invalidRequest` for a position of another
  ///   list.
  func selectOffers(
    _ query: OfferQuery, behind lastKey: Int64? = nil, in transaction: any Transaction
  ) throws -> SelectedOffers {
    try SelectedOffers(
      query, of: user, feeds: NamedFeeds(query.selection.feeds, definitions, in: transaction),
      behind: lastKey, in: transaction)
  }
}

extension OffersDatabase {
  /// The retailers of a feed's offers, or of all offers; those with the most offers first, at most
  /// 1000.
  ///
  /// - Parameter feed: the feed's name; nil for the offers of all feeds. An unknown feed has none.
  /// - Throws: `OffersError` with `storageFailed`, or with `invalidRequest` if the store is closed;
  ///   `cancelled` if the task is cancelled before the read begins.
  public func fetchRetailers(of feed: String?) async throws(OffersError) -> [String] {
    try await transaction(.read) { try OfferFacets.retailers(of: feed, in: $0) }
  }

  /// The categories of a feed's offers, or of all offers; those with the most offers first, at most
  /// 1000.
  ///
  /// - Parameter feed: the feed's name; nil for the offers of all feeds. An unknown feed has none.
  /// - Throws: as `fetchRetailers(of:)`.
  public func fetchCategories(of feed: String?) async throws(OffersError) -> [String] {
    try await transaction(.read) { try OfferFacets.categories(of: feed, in: $0) }
  }
}

/// The SQL that reads the retailers and categories of offers, gone ones included, most frequent first, for a
/// filter and for suggestions after a mistyped name. Bounded, because only frequent ones are worth
/// suggesting.
enum OfferFacets {
  private static let limit = 1000

  static func retailers(of feed: String?, in transaction: any Transaction) throws -> [String] {
    try labels(
      of: feed,
      """
      SELECT offer.retailer FROM offer
      WHERE offer.retailer IS NOT NULL AND ($1 IS NULL OR offer.feed_key = $1)
      GROUP BY offer.retailer ORDER BY count(*) DESC, offer.retailer LIMIT \(limit)
      """, in: transaction)
  }

  static func categories(of feed: String?, in transaction: any Transaction) throws -> [String] {
    let categories = transaction.dialect.texts(of: "offer.categories", as: "category")
    return try labels(
      of: feed,
      """
      SELECT category.value FROM offer, \(categories)
      WHERE offer.categories IS NOT NULL AND ($1 IS NULL OR offer.feed_key = $1)
      GROUP BY category.value ORDER BY count(*) DESC, category.value LIMIT \(limit)
      """, in: transaction)
  }

  private static func labels(
    of feed: String?, _ sql: String, in transaction: any Transaction
  ) throws -> [String] {
    var feedKey: Int64?
    if let feed {
      guard let key = try FeedTable.findKey(feed, in: transaction) else { return [] }
      feedKey = key
    }
    return try transaction.rows(sql, [.number(feedKey)]) { $0.text(0) }
  }
}

/// Counts the offers of whole lists.
package enum ListCount {
  /// The number of offers in the list of a feed, or in all lists for nil, by the stored counts.
  package static func current(feedKey: Int64?, in transaction: any Transaction) throws -> Int {
    try transaction.rows(
      """
      SELECT \(FeedTable.currentCount) FROM feed WHERE $1 IS NULL OR feed.feed_key = $1
      """, [.number(feedKey)]
    ) { $0.count(0) }.reduce(0, +)
  }

  /// The number of those offers that have expired at a time.
  package static func expired(
    feedKey: Int64?, at now: Date, in transaction: any Transaction
  ) throws -> Int {
    let offerFeed = transaction.dialect.unindexed("offer.feed_key")
    return try transaction.first(
      """
      SELECT count(*) FROM offer
      WHERE offer.expires_at <= $1 AND \(OfferColumns.isCurrent)
        AND ($2 IS NULL OR \(offerFeed) = $2)
      """, [.date(now), .number(feedKey)]
    ) { $0.count(0) } ?? 0
  }
}
