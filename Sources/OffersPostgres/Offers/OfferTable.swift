import Foundation
import OffersCore

/// The SQL that reads single offers.
enum OfferTable {
  /// An offer with its key.
  struct Stored {
    let key: Int64
    let offer: UserOffer
  }

  static func find(_ ref: OfferRef, of user: User.ID, in connection: Connection) throws -> Stored? {
    if ref.feed.utf8.contains(0) || ref.offerID.utf8.contains(0) { return nil }
    return try connection.rows(
      prepared: """
        SELECT \(OfferColumns.selection) FROM \(OfferColumns.tables)
        WHERE feed.name = $2 AND offer.id = $3
        """, [.number(user), .text(ref.feed), .text(ref.offerID)]
    ).first.map(stored)
  }

  /// Finds the offer that a text names, by a reference or a bare id.
  ///
  /// - Throws: `OffersError` with `notFound` or `ambiguous`.
  static func fetch(named text: String, of user: User.ID, in connection: Connection) throws
    -> Stored
  {
    if let ref = OfferRef(text), let found = try find(ref, of: user, in: connection) {
      return found
    }
    let found =
      text.utf8.contains(0)
      ? []
      : try connection.rows(
        """
        SELECT \(OfferColumns.selection) FROM \(OfferColumns.tables)
        WHERE offer.id = $2 ORDER BY feed.name
        """, [.number(user), .text(text)]
      ).map(stored)
    if found.count == 1 { return found[0] }
    if found.isEmpty {
      throw try NearIDs(in: connection).missing(text) {
        try find($0, of: user, in: connection) != nil
      }
    }
    let names = found.map(\.offer.ref.description).joined(separator: ", ")
    throw OffersError(
      .ambiguous, "Several feeds have an offer “\(text)”.", hint: "Say which: \(names).")
  }

  /// The offers of some keys, in their order. Those that were removed are left out.
  static func list(keys: [Int64], of user: User.ID, in connection: Connection) throws -> [Stored] {
    var found: [Int64: Stored] = [:]
    let rows = try connection.rows(
      """
      SELECT \(OfferColumns.selection) FROM \(OfferColumns.tables)
      WHERE offer.offer_key = ANY($2)
      """, [.number(user), .numbers(keys)])
    for stored in rows.map(stored) { found[stored.key] = stored }
    return keys.compactMap { found[$0] }
  }

  static func stored(_ row: Row) -> Stored {
    Stored(key: OfferColumns.key(row), offer: OfferColumns.offer(row))
  }
}
