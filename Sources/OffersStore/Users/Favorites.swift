import Foundation
import OffersCore

extension OffersDatabase {
  /// Sets or clears the favorite mark of offers, in one transaction. The call is idempotent.
  ///
  /// - Returns: a result for each reference, in their order.
  /// - Throws: `OffersError` with `notFound` for an offer that is not stored; nothing is written
  ///   then.
  @discardableResult
  public func setFavorites(
    _ refs: [OfferRef], to isFavorite: Bool
  ) async throws(OffersError) -> [FavoriteChange] {
    try await setFavorites(to: isFavorite) { _ in refs }
  }

  /// Sets or clears the favorite mark of the offers that a person named, in one transaction.
  ///
  /// - Parameters:
  ///   - names: references or bare ids: `ibotta:110579` or `110579`.
  ///   - isFavorite: the mark to set. The call is idempotent.
  /// - Throws: `OffersError` with `notFound` or `ambiguous`; nothing is written then.
  @discardableResult
  public func setFavorites(
    named names: [String], to isFavorite: Bool
  ) async throws(OffersError) -> [FavoriteChange] {
    // References are starred without a look-up: `set` reads the offers in any case.
    let refs = names.compactMap(OfferRef.init)
    if refs.count == names.count {
      do {
        return try await setFavorites(refs, to: isFavorite)
      } catch {
        guard error.code == .notFound else { throw error }
        // A bare id may have the form of a reference. If there is no such offer either, the look-up below
        // throws an error that suggests similar ids.
      }
    }
    return try await setFavorites(to: isFavorite) { [user] transaction in
      try OfferTable.refs(named: names, of: user, in: transaction)
    }
  }

  /// Stars offers, or removes their stars, in one transaction.
  ///
  /// - Parameter refs: finds the offers, in the transaction.
  private func setFavorites(
    to isFavorite: Bool, _ refs: @escaping @Sendable (any Transaction) throws -> [OfferRef]
  ) async throws(OffersError) -> [FavoriteChange] {
    let changed: @Sendable (WrittenFavorites) -> DataChanges? = { [user] in
      $0.states.map { DataChanges(favorites: [user: $0]) }
    }
    return try await transaction(.favorites, describe: changed) { [user] transaction in
      try UserTable.check(user, in: transaction)
      let refs = try refs(transaction)
      try OfferTable.checkStorable(refs)
      let concernsOthers = try FavoriteTable.concernsOthers(refs, in: transaction)
      let changes = try self.set(refs, to: isFavorite, in: transaction)
      let states = changes.map { ($0.offer.ref, isFavorite) }
      return WrittenFavorites(
        changes: changes,
        states: concernsOthers ? nil : Dictionary(states, uniquingKeysWith: { $1 }))
    }.changes
  }

  private func set(
    _ refs: [OfferRef], to isFavorite: Bool, in transaction: any Transaction
  ) throws -> [FavoriteChange] {
    // The mark comes first: pruning, which locks the table on PostgreSQL, is over then, or it waits. The
    // offers are read by a later statement, which sees what pruning has removed.
    var changed =
      isFavorite
      ? try FavoriteTable.insert(refs, of: user, at: Date(), in: transaction)
      : try FavoriteTable.delete(refs, of: user, in: transaction)
    let offers = try OfferTable.find(refs, of: user, in: transaction)
    return try refs.map { ref in
      guard let offer = offers[ref] else { throw OfferTable.unknown(ref) }
      return FavoriteChange(offer: offer, didChange: changed.remove(ref) != nil)
    }
  }
}

/// The outcome of a write of favorites of one user.
private struct WrittenFavorites: Sendable {
  let changes: [FavoriteChange]
  /// Whether each of the offers is a favorite since the write; nil if the write changed what others see
  /// as well, such as the list of the household.
  let states: [OfferRef: Bool]?
}

/// The SQL that sets, removes and finds favorites.
package enum FavoriteTable {
  /// Selects the keys of the stored favorites of a user.
  ///
  /// - Parameter user: the user's id in SQL: a parameter or digits.
  package static func offerKeys(of user: String) -> String {
    """
    SELECT offer.offer_key FROM \(OfferColumns.favoriteSource)
    WHERE favorite.user_key = \(user)
    """
  }

  /// The favorites of a user that were starred before a time.
  static func refs(
    of user: User.ID, before time: Date, in transaction: any Transaction
  ) throws -> Set<OfferRef> {
    Set(
      try transaction.rows(
        "SELECT feed, id FROM favorite WHERE user_key = $1 AND created_at < $2",
        [.number(user), .date(time)], ref))
  }

  /// Whether a star of one of some offers changes what others see: the lists, if only a search on its
  /// feed's server found the offer, or the household list.
  static func concernsOthers(_ refs: [OfferRef], in transaction: any Transaction) throws -> Bool {
    let wanted = transaction.dialect.table(refs, as: "wanted", first: 1)
    return try transaction.exists(
      """
      SELECT 1 FROM \(wanted.sql)
      LEFT JOIN feed ON feed.name = wanted.feed
      LEFT JOIN offer ON offer.feed_key = feed.feed_key AND offer.id = wanted.id
      WHERE offer.found_at IS NOT NULL OR EXISTS (
        SELECT 1 FROM favorite WHERE favorite.feed = wanted.feed AND favorite.id = wanted.id
          AND favorite.shared_at IS NOT NULL)
      LIMIT 1
      """, wanted.values)
  }

  /// Stars offers, also those that are not stored.
  ///
  /// - Returns: those that were no favorites of the user.
  static func insert(
    _ refs: [OfferRef], of user: User.ID, at time: Date, in transaction: any Transaction
  ) throws -> Set<OfferRef> {
    let wanted = transaction.dialect.table(refs, as: "wanted", first: 3)
    // Without the condition, SQLite takes ON for that of a join.
    return Set(
      try transaction.rows(
        """
        INSERT INTO favorite (user_key, feed, id, created_at)
        SELECT $1, wanted.feed, wanted.id, $2 FROM \(wanted.sql) WHERE true
        ON CONFLICT (user_key, feed, id) DO NOTHING RETURNING feed, id
        """, [.number(user), .date(time)] + wanted.values, isFrequent: true, ref))
  }

  /// Removes favorites.
  ///
  /// - Returns: those that were favorites of the user.
  static func delete(
    _ refs: [OfferRef], of user: User.ID, in transaction: any Transaction
  ) throws -> Set<OfferRef> {
    let wanted = transaction.dialect.table(refs, as: "wanted", first: 2)
    return Set(
      try transaction.rows(
        """
        DELETE FROM favorite
        WHERE user_key = $1 AND (feed, id) IN (SELECT wanted.feed, wanted.id FROM \(wanted.sql))
        RETURNING feed, id
        """, [.number(user)] + wanted.values, isFrequent: true, ref))
  }

  /// The reference in the first two columns of a row.
  static func ref(_ row: any SQLRow) -> OfferRef {
    OfferRef(feed: row.text(0), offerID: row.text(1))
  }
}
