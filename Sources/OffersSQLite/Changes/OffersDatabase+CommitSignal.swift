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

  public var commits: AsyncStream<DataCommit> { versions(wokenBy: writer?.bell ?? CommitBell()) }
}
