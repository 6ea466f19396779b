import Foundation
import GRDB
import OffersCore
import OffersStore

extension OffersDatabase: OfferRepository {
  public func fetchOffers(_ query: OfferQuery) async throws -> [UserOffer] {
    try await read { [definitions, user] database in
      try OfferTable.list(
        keys: Self.keyQuery(query, of: user, definitions, in: database).keys(in: database),
        of: user,
        textBytes: query.textBytes, in: database)
    }
  }

  public func fetchOfferPage(
    _ query: OfferQuery, maximumBytes: Int
  ) async throws -> OfferPage {
    try await read { [definitions, user] database in
      var next = query
      if let limit = query.limit { next.limit = limit.adding(clamped: 1) }
      let keys = try Self.keyQuery(next, of: user, definitions, in: database).keys(in: database)
      let (offers, count) = try OfferTable.page(
        keys: keys.prefix(query.limit ?? .max), of: user, maximumBytes: maximumBytes,
        textBytes: query.textBytes, in: database)
      return OfferPage(offers: offers, hasMore: count < keys.count)
    }
  }

  public func countOffers(_ query: OfferQuery) async throws -> Int {
    try await read { [definitions, user] database in
      let keyQuery = try Self.keyQuery(query, of: user, definitions, in: database)
      guard query.isWholeFeed else { return try keyQuery.count(in: database) }
      let count = try FeedTable.countCurrent(of: query.feed, in: database)
      if query.includesExpired { return count }
      return count
        - (try FeedTable.countExpired(of: query.feed, at: query.now ?? Date(), in: database))
    }
  }

  /// The query for the keys of a list's offers. `lastKey` is the key of the last offer of the
  /// previous page, for a query with `isStream`; it takes precedence over the query's own position.
  ///
  /// - Throws: `OffersError`: `notFound` for an unknown feed, `invalidRequest` for a position that
  ///   does not fit the order.
  static func keyQuery(
    _ query: OfferQuery, of user: User.ID, behind lastKey: Int64? = nil,
    _ definitions: (any FeedDefinitions)? = nil,
    in database: Database
  ) throws -> OfferKeyQuery {
    let feedKey = try query.feed.map { try fetchFeedKey($0, definitions, in: database) }
    let usesRole =
      query.rewardMinimum != nil || query.priceMaximum != nil || query.sort == .reward
      || query.sort == .price
    let pricedKeys =
      usesRole
      ? try query.pricedFeeds.sorted().compactMap {
        try FeedTable.findKey($0, in: SQLiteTransaction(database))
      } : []
    guard lastKey == nil, let position = query.after else {
      return OfferKeyQuery(
        query, of: user, feedKey: feedKey, behind: lastKey, pricedKeys: pricedKeys)
    }
    guard let key = try OfferTable.findKey(position.ref, in: SQLiteTransaction(database)) else {
      throw OffersError(
        .invalidRequest, "The offer after which the list continues was removed.",
        hint: "Start the list from the beginning.")
    }
    var values = position.values
    if values.isEmpty,
      let offer = try OfferTable.find(key: key, of: user, in: SQLiteTransaction(database))
    {
      values = OfferPosition(of: offer.offer, in: query).values
    }
    let order = OfferOrder(
      query.sort, key: "", isReversed: false, expiredSeconds: query.sortsExpiredLast ? 0 : nil)
    guard values.count == order.valueCount else {
      throw OffersError(
        .invalidRequest, "The position to continue from belongs to another sort order.",
        hint: "Start the list from the beginning.")
    }
    return OfferKeyQuery(
      query, of: user, feedKey: feedKey, behind: key, values: values, pricedKeys: pricedKeys)
  }

  /// The key of a feed that can be read. A feed that has a definition, but no row yet, has the key 0,
  /// which no offer has.
  ///
  /// - Throws: `OffersError` with `notFound`, whose hint names the existing feeds.
  static func fetchFeedKey(
    _ feed: String, _ definitions: (any FeedDefinitions)?, in database: Database
  ) throws -> Int64 {
    let transaction = SQLiteTransaction(database)
    if let key = try FeedTable.findReadKey(feed, in: transaction) { return key }
    if definitions?.defines(feed) == true {
      return try FeedTable.findKey(feed, in: transaction) ?? 0
    }
    throw try FeedTable.unknown(feed, in: transaction)
  }
}
