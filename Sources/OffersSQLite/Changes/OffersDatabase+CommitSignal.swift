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

  public var commits: AsyncStream<Int64> { versions(wokenBy: writer?.bell ?? CommitBell()) }
}
