import Foundation
import OffersCore

extension OffersDatabase {
  /// The offer, or nil when the database does not have it.
  public func findOffer(_ ref: OfferRef) async throws -> UserOffer? {
    try await transaction(.lookup) { [user] in
      try OfferTable.find(ref, of: user, in: $0)?.offer
    }
  }

  /// The offer that a person named: by a full reference such as `ibotta:110579`, or a bare id such
  /// as `110579`.
  ///
  /// - Throws: `OffersError` with `notFound`, or with `ambiguous` when several feeds have the bare
  ///   id; the hint names them.
  public func fetchOffer(named text: String) async throws -> UserOffer {
    try await transaction(.read) { [user] in
      try OfferTable.fetch(named: text, of: user, in: $0).offer
    }
  }
}

extension OffersDatabase {
  /// Sets or clears the favorite mark of offers, in one transaction. The call is idempotent.
  ///
  /// - Returns: a result for each reference, in their order.
  /// - Throws: `OffersError` with `notFound` for an offer that is not stored; nothing is written
  ///   then.
  @discardableResult
  public func setFavorites(
    _ refs: [OfferRef], to isFavorite: Bool
  ) async throws -> [FavoriteChange] {
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
    return try await setFavorites(to: isFavorite) { [user] transaction in
      try OfferTable.refs(named: names, of: user, in: transaction)
    }
  }

  /// - Parameter refs: finds the offers, in the transaction.
  private func setFavorites(
    to isFavorite: Bool, _ refs: @escaping @Sendable (any Transaction) throws -> [OfferRef]
  ) async throws -> [FavoriteChange] {
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
