import OffersCore

extension OffersDatabase: CommitSignal {
  public func fetchDataVersion() async throws -> Int64 {
    do {
      return try await reader.fetchVersion()
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }

  public var commits: AsyncStream<DataCommit> { versions(wokenBy: writer?.bell ?? CommitBell()) }
}
