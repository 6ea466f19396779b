import OffersCore

extension OffersDatabase: CommitSignal {
  public func fetchDataVersion() async throws -> Int64 {
    do {
      if let number = try version.fetchIfOpen() { return number }
      return try await BlockingWork.run { [version] in try version.fetch() }
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  public func findFavoriteChanges(
    after first: Int64, through last: Int64
  ) -> [User.ID: [OfferRef: Bool]]? {
    writer?.bell.findFavoriteChanges(after: first, through: last)
  }

  /// Describes a write of favorites, after its commit and while the write guard still keeps the
  /// commits of other processes away.
  ///
  /// - Parameters:
  ///   - written: the write.
  ///   - isFavorite: the new state of its offers.
  /// - Returns: nil if other data changed as well, or if nobody reads versions.
  func describe(_ written: WrittenFavorites, to isFavorite: Bool) -> FavoriteCommit? {
    // A trigger of somebody else may have changed other favorites.
    guard let before = written.version, foreignSchema.isEmpty else { return nil }
    // Without a version, the readers of commits are only told that there was one. A commit in memory
    // is counted after this.
    let version = file.memory == nil ? (try? version.fetchIfOpen()) : before + 1
    guard let after = version else { return nil }
    return FavoriteCommit(
      before: before, after: after, user: user,
      states: Dictionary(
        written.changes.map { ($0.offer.ref, isFavorite) }, uniquingKeysWith: { $1 }))
  }

  public var commits: AsyncStream<Int64> { versions(wokenBy: writer?.bell ?? CommitBell()) }
}
