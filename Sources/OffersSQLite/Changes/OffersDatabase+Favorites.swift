import GRDB
import OffersCore
import OffersStore

extension OffersDatabase {
  /// Writes favorites, and remembers what the commit changed for the readers of commits.
  package func writeFavorites(
    _ refs: @escaping @Sendable (any Transaction) throws -> [OfferRef], to isFavorite: Bool,
    _ change: @escaping @Sendable ([OfferRef], any Transaction) throws -> [FavoriteChange]
  ) async throws -> [FavoriteChange] {
    let tell: @Sendable (WrittenFavorites) -> FavoriteCommit? = { [self] in
      describe($0, to: isFavorite)
    }
    let written = try await write(.ordinary, describe: tell) {
      [version] (database: Database) -> WrittenFavorites in
      // Without a version, the readers of commits are only told that there was one.
      var before = try? version.fetchIfOpen()
      let transaction = SQLiteTransaction(database)
      let refs = try refs(transaction)
      // A text that cannot be stored is refused by the change.
      if try refs.contains(where: { try FavoriteTable.concernsOthers($0, in: transaction) }) {
        before = nil
      }
      return WrittenFavorites(changes: try change(refs, transaction), version: before)
    }
    return written.changes
  }
}

/// A write of favorites.
struct WrittenFavorites: Sendable {
  let changes: [FavoriteChange]
  /// The version of the data before the write; nil if it is not known, or if the write changed other
  /// data as well.
  let version: Int64?
}
