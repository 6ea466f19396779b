import Foundation
import OffersCore

/// The single offers of `OfferRepository`.
extension SQLStore {
  public func findOffer(_ ref: OfferRef) async throws -> UserOffer? {
    try await transaction(.lookup) { [user] in
      try OfferTable.find(ref, of: user, in: $0)?.offer
    }
  }

  public func fetchOffer(named text: String) async throws -> UserOffer {
    try await transaction(.read) { [user] in
      try OfferTable.fetch(named: text, of: user, in: $0).offer
    }
  }
}

/// `FavoriteRepository`.
extension SQLStore {
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
    try await writeFavorites { [user] transaction in
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
