import Foundation
import OffersCore

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
