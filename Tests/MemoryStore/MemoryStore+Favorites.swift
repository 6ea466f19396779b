import Foundation
import OffersCore

extension MemoryStore: FavoriteRepository {
  package func setFavorites(
    _ refs: [OfferRef], to isFavorite: Bool
  ) async throws -> [FavoriteChange] {
    try setFavorites(to: isFavorite) { _ in refs }
  }

  package func setFavorites(
    named names: [String], to isFavorite: Bool
  ) async throws -> [FavoriteChange] {
    try setFavorites(to: isFavorite) { state in try names.map { try state.fetch(named: $0).ref } }
  }

  private func setFavorites(
    to isFavorite: Bool, of refs: (MemoryState) throws -> [OfferRef]
  ) throws -> [FavoriteChange] {
    try write { state in
      try state.changeRecord(of: user) { _ in }
      return try refs(state).map { ref in
        guard let offer = state.find(ref) else {
          throw OffersError(.notFound, "There is no offer “\(ref)”.")
        }
        let didChange = try state.changeRecord(of: user) { record in
          let wasFavorite = record.favorites[ref] != nil
          if wasFavorite != isFavorite { record.favorites[ref] = isFavorite ? Date() : nil }
          if !isFavorite { record.shared[ref] = nil }
          return wasFavorite != isFavorite
        }
        return FavoriteChange(offer: state.view(offer, of: user), didChange: didChange)
      }
    }
  }
}
