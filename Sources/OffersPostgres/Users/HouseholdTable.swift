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

  /// The offers that a query selects, in the list's order.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a place in another list.
  static func offers(
    _ query: HouseholdQuery, of user: User.ID, in connection: Connection
  ) throws -> [UserOffer] {
    let start = try query.start()
    return try connection.rows(
      """
      SELECT \(OfferColumns.selection) FROM \(tables)
      WHERE ($2::bigint IS NULL OR first_at < $2 OR first_at = $2
          AND (shared.feed, shared.id) > ($3::text COLLATE "C", $4::text COLLATE "C"))
        AND ($7::text IS NULL OR shared.feed = $7)
      ORDER BY first_at DESC, shared.feed, shared.id LIMIT $5::bigint OFFSET $6::bigint
      """,
      [
        .number(user), .number(start?.sharedAt), .text(start?.ref.feed), .text(start?.ref.offerID),
        .number(query.limit.map { Int64(max(0, $0)) }), .number(Int64(max(0, query.offset))),
        .text(query.feed),
      ]
    ).map { row in
      let offer = OfferColumns.offer(row)
      return query.textBytes.map { offer.abridged(toBytes: $0) } ?? offer
    }
  }

  static func count(in connection: Connection) throws -> Int {
    Int(try connection.rows("SELECT count(*) FROM \(tables)").first?.number(0) ?? 0)
  }

  /// Offers with the users who share them, in their order.
  static func withSharers(
    _ offers: [UserOffer], in connection: Connection
  ) throws -> [HouseholdOffer] {
    let rows = try connection.rows(
      """
      SELECT favorite.feed, favorite.id, account.user_key, account.name, favorite.shared_at
      FROM favorite JOIN account ON account.user_key = favorite.user_key
      JOIN (SELECT DISTINCT feed, id FROM unnest($1, $2) AS wanted (feed, id)) AS wanted
        ON favorite.feed = wanted.feed AND favorite.id = wanted.id
      WHERE favorite.shared_at IS NOT NULL
      ORDER BY favorite.shared_at, favorite.user_key
      """, [.texts(offers.map(\.ref.feed)), .texts(offers.map(\.ref.offerID))])
    var sharers: [OfferRef: [HouseholdOffer.Sharer]] = [:]
    for row in rows.map({ $0 }) {
      sharers[OfferRef(feed: row.text(0), offerID: row.text(1)), default: []].append(
        HouseholdOffer.Sharer(id: row.number(2), name: row.text(3), sharedAt: row.date(4)))
    }
    return offers.map { HouseholdOffer(offer: $0, sharers: sharers[$0.ref] ?? []) }
  }

  /// Shares a user's favorites.
  ///
  /// - Returns: those that the user did not share before.
  static func share(
    _ refs: [OfferRef], of user: User.ID, at now: Date, in connection: Connection
  ) throws -> Set<OfferRef> {
    try changed(
      """
      UPDATE favorite SET shared_at = $4 FROM (\(wanted)) AS wanted
      WHERE favorite.user_key = $1 AND favorite.feed = wanted.feed AND favorite.id = wanted.id
        AND favorite.shared_at IS NULL
      RETURNING favorite.feed, favorite.id
      """, refs, [.number(user)], [.date(now)], in: connection)
  }

  /// Ends the sharing of offers by all users.
  ///
  /// - Returns: those that anybody shared.
  static func unshare(
    _ refs: [OfferRef], by user: User.ID, in connection: Connection
  ) throws -> Set<OfferRef> {
    try changed(
      """
      UPDATE favorite SET shared_at = NULL FROM (\(wanted)) AS wanted
      WHERE favorite.feed = wanted.feed AND favorite.id = wanted.id
        AND favorite.shared_at IS NOT NULL AND $1::bigint IS NOT NULL
      RETURNING favorite.feed, favorite.id
      """, refs, [.number(user)], [], in: connection)
  }

  private static let wanted = "SELECT DISTINCT feed, id FROM unnest($2, $3) AS wanted (feed, id)"

  private static func changed(
    _ sql: String, _ refs: [OfferRef], _ first: [Parameter], _ rest: [Parameter],
    in connection: Connection
  ) throws -> Set<OfferRef> {
    let rows = try connection.rows(
      sql, first + [.texts(refs.map(\.feed)), .texts(refs.map(\.offerID))] + rest)
    return Set(rows.map { OfferRef(feed: $0.text(0), offerID: $0.text(1)) })
  }
}
