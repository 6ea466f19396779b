import Foundation
import OffersCore

/// The household list: the favorites that users share with all other users of a store.
///
/// Sharing is a property of one user's favorite. Setting and clearing it changes no favorite of
/// another user, and a favorite that is cleared is not shared any more. The list has an offer once,
/// however many users share it, and also offers that are gone from their feeds.
extension OffersDatabase {
  /// Shares offers in the name of the bound user, in one transaction, and marks them as the user's
  /// favorites if they are none. An offer that the user shares already keeps its time.
  ///
  /// - Parameters:
  ///   - refs: the offers.
  ///   - time: the time that is stored, in whole seconds.
  /// - Returns: a result for each reference, in their order.
  /// - Throws: `OffersError` with `notFound` for an offer that is not stored, and for a user who was
  ///   removed; nothing is written then.
  @discardableResult
  package func share(_ refs: [OfferRef], at time: Date) async throws(OffersError) -> [SharingChange]
  {
    try await share(at: time) { _ in refs }
  }

  /// Shares the offers that a person named: by references or bare ids.
  ///
  /// - Throws: as `share(_:at:)`, also `ambiguous`.
  @discardableResult
  package func share(named names: [String], at time: Date) async throws(OffersError)
    -> [SharingChange]
  {
    try await share(at: time) { [user] in try OfferTable.refs(named: names, of: user, in: $0) }
  }

  /// Takes offers off the list, in one transaction: ends their sharing by all users. The favorites
  /// of all users stay.
  ///
  /// - Returns: a result for each reference, in their order.
  /// - Throws: as `share(_:at:)`.
  @discardableResult
  package func unshare(_ refs: [OfferRef]) async throws(OffersError) -> [SharingChange] {
    try await unshare { _ in refs }
  }

  /// Takes the offers off the list that a person named: by references or bare ids.
  ///
  /// - Throws: as `share(named:at:)`.
  @discardableResult
  package func unshare(named names: [String]) async throws(OffersError) -> [SharingChange] {
    try await unshare { [user] in try OfferTable.refs(named: names, of: user, in: $0) }
  }

  /// An offer with the users who share it, possibly none; nil if the offer is not stored.
  package func findHouseholdOffer(_ ref: OfferRef) async throws(OffersError) -> HouseholdOffer? {
    try await transaction(.read) { [user] transaction in
      let offer = try OfferTable.find(ref, of: user, in: transaction)?.offer
      return try HouseholdTable.withSharers(offer.map { [$0] } ?? [], in: transaction).first
    }
  }

  /// The first offers that a query selects of the list: the most recently added first, by the times of
  /// their first sharers; offers of the same second by their references. There are as many as have at
  /// most `maximumBytes` of texts in total, but at least one if the query selects any.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a position in another list.
  package func fetchHousehold(
    _ query: HouseholdQuery, maximumBytes: Int
  ) async throws(OffersError) -> HouseholdOfferPage {
    try await transaction(.read) { [user] transaction in
      try self.checkFeed(query.feed, in: transaction)
      let limit = query.limit.map { max(0, $0) }
      var next = query
      next.limit = limit?.adding(clamped: 1)
      let offers = try HouseholdTable.offers(
        next, of: user, maximumBytes: maximumBytes, in: transaction)
      let page = Array(offers.prefix(limit ?? .max))
      return HouseholdOfferPage(
        of: try HouseholdTable.withSharers(page, in: transaction),
        hasMore: page.count < offers.count, maximumBytes: maximumBytes)
    }
  }

  /// The number of offers on the list, of one feed or of all for nil.
  public func countHousehold(of feed: String? = nil) async throws(OffersError) -> Int {
    try await transaction(.query) { try HouseholdTable.count(of: feed, in: $0) }
  }

  private func share(
    at time: Date, _ refs: @escaping @Sendable (any Transaction) throws -> [OfferRef]
  ) async throws(OffersError) -> [SharingChange] {
    try await changeSharing(refs) { [user] refs, transaction in
      _ = try FavoriteTable.insert(refs, of: user, at: time, in: transaction)
      return try HouseholdTable.share(refs, of: user, at: time, in: transaction)
    }
  }

  private func unshare(
    _ refs: @escaping @Sendable (any Transaction) throws -> [OfferRef]
  ) async throws(OffersError) -> [SharingChange] {
    try await changeSharing(refs) { try HouseholdTable.unshare($0, in: $1) }
  }

  /// Changes the sharing of offers in one transaction, which an unknown offer rolls back.
  ///
  /// - Parameters:
  ///   - refs: the offers.
  ///   - change: changes their sharing, and returns those for which it was different.
  private func changeSharing(
    _ refs: @escaping @Sendable (any Transaction) throws -> [OfferRef],
    _ change: @escaping @Sendable ([OfferRef], any Transaction) throws -> Set<OfferRef>
  ) async throws(OffersError) -> [SharingChange] {
    try await transaction(.repeatableWrite) { [user] transaction in
      try UserTable.check(user, in: transaction)
      let refs = try refs(transaction)
      try OfferTable.checkStorable(refs)
      var changed = try change(refs, transaction)
      let offers = try OfferTable.find(refs, of: user, in: transaction)
      let shared = try HouseholdTable.withSharers(
        refs.map { ref in
          guard let offer = offers[ref] else { throw OfferTable.unknown(ref) }
          return offer
        }, in: transaction)
      return zip(refs, shared).map { ref, offer in
        SharingChange(offer: offer, didChange: changed.remove(ref) != nil)
      }
    }
  }
}

/// The SQL of the household list: the favorites that are shared (`favorite.shared_at`).
enum HouseholdTable {
  /// The shared offers that are stored, each once, with the time at which the first user shared it.
  private static let tables = """
    (SELECT feed, id, min(shared_at) AS first_at FROM favorite
      WHERE shared_at IS NOT NULL GROUP BY feed, id) AS shared
    JOIN feed ON feed.name = shared.feed
    JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = shared.id
    """

  /// The offers that a query selects, in the list's order, up to the one with which their texts have more
  /// than `maximumBytes` together, which is not the first.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a position in another list.
  static func offers(
    _ query: HouseholdQuery, of user: User.ID, maximumBytes: Int, in transaction: any Transaction
  ) throws -> [UserOffer] {
    let start = try query.start()
    var offers: [UserOffer] = []
    var bytes = 0
    try transaction.scan(
      """
      SELECT \(OfferColumns.columns) FROM \(tables)
      WHERE ($2 IS NULL OR first_at < $2
          OR first_at = $2 AND (shared.feed > $3 OR shared.feed = $3 AND shared.id > $4))
        AND ($7 IS NULL OR shared.feed = $7)
      ORDER BY first_at DESC, shared.feed, shared.id LIMIT $5 OFFSET $6
      """,
      [
        .number(user), .number(start?.sharedAt), .text(start?.ref.feed), .text(start?.ref.offerID),
        .number(query.limit.map { Int64(max(0, $0)) } ?? .max), .count(max(0, query.offset)),
        .text(query.feed),
      ]
    ) { row in
      let whole = OfferColumns.offer(row)
      let offer = query.textBytes.map { whole.abridged(toBytes: $0) } ?? whole
      offers.append(offer)
      bytes += offer.textBytes
      return bytes <= maximumBytes || offers.count == 1
    }
    return offers
  }

  static func count(of feed: String?, in transaction: any Transaction) throws -> Int {
    try transaction.first(
      "SELECT count(*) FROM \(tables) WHERE $1 IS NULL OR shared.feed = $1", [.text(feed)]
    ) { $0.count(0) } ?? 0
  }

  /// Offers with the users who share them, in their order.
  static func withSharers(
    _ offers: [UserOffer], in transaction: any Transaction
  ) throws -> [HouseholdOffer] {
    let wanted = transaction.dialect.table(Array(Set(offers.map(\.ref))), as: "wanted")
    let rows = try transaction.rows(
      """
      SELECT favorite.feed, favorite.id, account.user_key, account.name, favorite.shared_at
      FROM \(wanted.sql)
      JOIN favorite ON favorite.feed = wanted.feed AND favorite.id = wanted.id
      JOIN account ON account.user_key = favorite.user_key
      WHERE favorite.shared_at IS NOT NULL
      ORDER BY favorite.shared_at, favorite.user_key
      """, wanted.values
    ) { row in
      (
        ref: FavoriteTable.ref(row),
        sharer: HouseholdOffer.Sharer(id: row.number(2), name: row.text(3), sharedAt: row.date(4))
      )
    }
    let sharers = Dictionary(grouping: rows, by: \.ref)
    return offers.map { offer in
      HouseholdOffer(offer: offer, sharers: (sharers[offer.ref] ?? []).map(\.sharer))
    }
  }

  /// Shares a user's favorites.
  ///
  /// - Returns: those that the user did not share before.
  static func share(
    _ refs: [OfferRef], of user: User.ID, at time: Date, in transaction: any Transaction
  ) throws -> Set<OfferRef> {
    let wanted = transaction.dialect.table(refs, as: "wanted", first: 3)
    return Set(
      try transaction.rows(
        """
        UPDATE favorite SET shared_at = $2
        WHERE user_key = $1 AND shared_at IS NULL
          AND (feed, id) IN (SELECT wanted.feed, wanted.id FROM \(wanted.sql))
        RETURNING feed, id
        """, [.number(user), .date(time)] + wanted.values, FavoriteTable.ref))
  }

  /// Ends the sharing of offers by all users.
  ///
  /// - Returns: those that anybody shared.
  static func unshare(
    _ refs: [OfferRef], in transaction: any Transaction
  ) throws -> Set<OfferRef> {
    let wanted = transaction.dialect.table(refs, as: "wanted")
    return Set(
      try transaction.rows(
        """
        UPDATE favorite SET shared_at = NULL
        WHERE shared_at IS NOT NULL
          AND (feed, id) IN (SELECT wanted.feed, wanted.id FROM \(wanted.sql))
        RETURNING feed, id
        """, wanted.values, FavoriteTable.ref))
  }
}
