import Foundation
import OffersCore
import OffersStore

extension PostgresStore: FavoriteRepository {
  package func setFavorites(
    _ refs: [OfferRef], to isFavorite: Bool
  ) async throws -> [FavoriteChange] {
    try await database.write(isRepeatable: true) { [user] connection in
      try UserTable.check(user, in: PostgresTransaction(connection))
      return try Self.set(refs, to: isFavorite, of: user, in: connection)
    }
  }

  package func setFavorites(
    named names: [String], to isFavorite: Bool
  ) async throws -> [FavoriteChange] {
    // References are starred without a look-up: `set` reads the offers in any case.
    let refs = names.compactMap(OfferRef.init)
    if refs.count == names.count {
      do {
        return try await setFavorites(refs, to: isFavorite)
      } catch let error as OffersError where error.code == .notFound {
        // A bare id may have the form of a reference. If there is no such offer either, the look-up below
        // throws an error that suggests similar ids.
      }
    }
    return try await database.write(isRepeatable: true) { [user] connection in
      try UserTable.check(user, in: PostgresTransaction(connection))
      let refs = try names.map {
        try OfferTable.fetch(named: $0, of: user, in: connection).offer.ref
      }
      return try Self.set(refs, to: isFavorite, of: user, in: connection)
    }
  }

  private static func set(
    _ refs: [OfferRef], to isFavorite: Bool, of user: User.ID, in connection: Connection
  ) throws -> [FavoriteChange] {
    try checkStorable(refs)
    // The mark comes first: pruning, which locks the table, is over then, or it waits. The offers are
    // read by a later statement, which sees what pruning has removed.
    var changed =
      isFavorite
      ? try star(refs, of: user, at: Date(), in: connection)
      : try unstar(refs, of: user, in: connection)
    let offers = try offers(refs, of: user, in: connection)
    return try refs.map { ref in
      guard let offer = offers[ref] else { throw unknown(ref) }
      return FavoriteChange(offer: offer, didChange: changed.remove(ref) != nil)
    }
  }

  /// Stars offers, also those that are not stored.
  ///
  /// - Returns: those that were no favorites.
  @discardableResult
  static func star(
    _ refs: [OfferRef], of user: User.ID, at time: Date, in connection: Connection
  ) throws -> Set<OfferRef> {
    let rows = try connection.rows(prepared: starSQL, wanted(refs, of: user) + [.date(time)])
    return Set(rows.map { OfferRef(feed: $0.text(0), offerID: $0.text(1)) })
  }

  private static func unstar(
    _ refs: [OfferRef], of user: User.ID, in connection: Connection
  ) throws -> Set<OfferRef> {
    let rows = try connection.rows(prepared: unstarSQL, wanted(refs, of: user))
    return Set(rows.map { OfferRef(feed: $0.text(0), offerID: $0.text(1)) })
  }

  /// The stored ones of some offers.
  static func offers(
    _ refs: [OfferRef], of user: User.ID, in connection: Connection
  ) throws -> [OfferRef: UserOffer] {
    var offers: [OfferRef: UserOffer] = [:]
    let rows = try connection.rows(prepared: offersSQL, wanted(refs, of: user))
    for offer in rows.map(OfferColumns.offer) { offers[offer.ref] = offer }
    return offers
  }

  private static func wanted(_ refs: [OfferRef], of user: User.ID) -> [Parameter] {
    [.number(user), .texts(refs.map(\.feed)), .texts(refs.map(\.offerID))]
  }

  /// Refuses references that no stored offer has, because the database cannot hold their character.
  static func checkStorable(_ refs: [OfferRef]) throws {
    if let odd = refs.first(where: { $0.feed.utf8.contains(0) || $0.offerID.utf8.contains(0) }) {
      throw unknown(odd)
    }
  }

  static func unknown(_ ref: OfferRef) -> OffersError {
    OffersError(.notFound, "There is no offer “\(ref)”.")
  }

  private static let starSQL = """
    INSERT INTO favorite (user_key, feed, id, created_at)
    SELECT DISTINCT $1::bigint, wanted.feed, wanted.id, $4::bigint
    FROM unnest($2, $3) AS wanted (feed, id)
    ON CONFLICT DO NOTHING RETURNING feed, id
    """

  private static let unstarSQL = """
    DELETE FROM favorite USING (
      SELECT DISTINCT feed, id FROM unnest($2, $3) AS wanted (feed, id)) AS wanted
    WHERE favorite.user_key = $1 AND favorite.feed = wanted.feed AND favorite.id = wanted.id
    RETURNING favorite.feed, favorite.id
    """

  private static let offersSQL = """
    SELECT \(OfferColumns.selection) FROM (
      SELECT DISTINCT feed, id FROM unnest($2, $3) AS wanted (feed, id)) AS wanted
    JOIN feed ON feed.name = wanted.feed
    JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = wanted.id
    """
}
