import Foundation
import GRDB
import OffersCore
import OffersStore

extension OffersDatabase: OfferRepository {
  public func findOffer(_ ref: OfferRef) async throws -> UserOffer? {
    try await read { [user] in try OfferTable.find(ref, of: user, in: $0) }
  }

  public func fetchOffer(named text: String) async throws -> UserOffer {
    try await read { [user] in try Self.fetchOffer(named: text, of: user, in: $0) }
  }

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
  /// previous page, for a query with `isStream`; it takes precedence over the query's own place.
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
    guard lastKey == nil, let place = query.after else {
      return OfferKeyQuery(
        query, of: user, feedKey: feedKey, behind: lastKey, pricedKeys: pricedKeys)
    }
    guard let key = try OfferTable.findKey(place.ref, in: database) else {
      throw OffersError(
        .invalidRequest, "The offer after which the list continues was removed.",
        hint: "Start the list from the beginning.")
    }
    var values = place.values
    if values.isEmpty, let offer = try OfferTable.find(key: key, of: user, in: database) {
      values = OfferPlace(of: offer.offer, in: query).values
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

  /// Finds the offer that a text names: `feed:id` if the part before the first colon is a feed with
  /// that offer, otherwise a bare id.
  ///
  /// - Throws: `OffersError` with `notFound`, or with `ambiguous` if several feeds have the bare
  ///   id.
  static func fetchOffer(
    named text: String, of user: User.ID, in database: Database
  ) throws -> UserOffer {
    if let ref = OfferRef(text), let offer = try OfferTable.find(ref, of: user, in: database) {
      return offer
    }
    let feeds = try OfferTable.feeds(havingID: text, in: database)
    if feeds.count == 1,
      let offer = try OfferTable.find(
        OfferRef(feed: feeds[0], offerID: text), of: user, in: database)
    {
      return offer
    }
    if feeds.isEmpty {
      throw try NearIDs(in: database).missing(text) {
        try OfferTable.findKey($0, in: database) != nil
      }
    }
    let names = feeds.map { "\($0):\(text)" }.joined(separator: ", ")
    throw OffersError(
      .ambiguous, "Several feeds have an offer “\(text)”.", hint: "Say which: \(names).")
  }
}

extension OffersDatabase: FavoriteRepository {
  @discardableResult
  public func setFavorites(
    _ refs: [OfferRef], to isFavorite: Bool
  ) async throws -> [FavoriteChange] {
    try await setFavorites(to: isFavorite) { _ in refs }
  }

  @discardableResult
  public func setFavorites(
    named names: [String], to isFavorite: Bool
  ) async throws -> [FavoriteChange] {
    try await setFavorites(to: isFavorite) { [user] database in
      try names.map { try Self.fetchOffer(named: $0, of: user, in: database).ref }
    }
  }

  private func setFavorites(
    to isFavorite: Bool, of refs: @escaping @Sendable (Database) throws -> [OfferRef]
  ) async throws -> [FavoriteChange] {
    let seconds = Date().storedSeconds
    return try await write(describe: { [self] in describe($0, to: isFavorite) }) {
      [user, version] database in
      // Without a version, the readers of commits are only told that there was one.
      var before = try? version.fetchIfOpen()
      try UserTable.check(user, in: SQLiteTransaction(database))
      let refs = try refs(database)
      if try refs.contains(where: { try FavoriteTable.concernsOthers($0, in: database) }) {
        before = nil
      }
      // An unknown offer rolls the whole transaction back.
      let changes = try refs.map { ref in
        let didChange =
          isFavorite
          ? try FavoriteTable.insert(ref, of: user, at: seconds, in: database)
          : try FavoriteTable.delete(ref, of: user, in: database)
        guard let offer = try OfferTable.find(ref, of: user, in: database) else {
          throw OffersError(.notFound, "There is no offer “\(ref)”.")
        }
        return FavoriteChange(offer: offer, didChange: didChange)
      }
      return WrittenFavorites(changes: changes, version: before)
    }.changes
  }
}

/// A write of favorites.
struct WrittenFavorites: Sendable {
  let changes: [FavoriteChange]
  /// The version of the data before the write; nil if it is not known, or if the write changed other
  /// data as well.
  let version: Int64?
}
