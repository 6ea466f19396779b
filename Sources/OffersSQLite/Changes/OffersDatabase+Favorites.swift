import GRDB
import OffersCore
import OffersStore

extension OffersDatabase {
  package func writeFavorites(
    _ body: @escaping @Sendable (any Transaction) throws -> WrittenFavorites
  ) async throws -> WrittenFavorites {
    let tell: @Sendable (VersionedFavorites) -> FavoriteCommit? = { [self] in describe($0) }
    let permit = WritePermit.current
    return try await write(.ordinary, describe: tell) { [version] database in
      let transaction = SQLiteTransaction(database)
      try permit?.check(in: transaction)
      // Without a version, the readers of commits are only told that there was one.
      let before = try? version.fetchIfOpen()
      return VersionedFavorites(written: try body(transaction), before: before)
    }.written
  }

  /// Describes a write of favorites, after its commit and while the write guard still keeps the
  /// commits of other processes away.
  ///
  /// - Returns: nil if other data changed as well, or if nobody reads versions.
  private func describe(_ favorites: VersionedFavorites) -> FavoriteCommit? {
    // A trigger of somebody else may have changed other favorites.
    guard let before = favorites.before, let states = favorites.written.states,
      foreignSchema.isEmpty
    else { return nil }
    // A commit in memory is counted after this.
    let version = file.memory == nil ? (try? version.fetchIfOpen()) : before + 1
    return version.map { FavoriteCommit(before: before, after: $0, user: user, states: states) }
  }
}

/// A write of favorites.
private struct VersionedFavorites: Sendable {
  let written: WrittenFavorites
  /// The version of the data before the write; nil if nobody reads versions.
  let before: Int64?
}
