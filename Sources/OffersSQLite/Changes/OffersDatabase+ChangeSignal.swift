import OffersCore

extension OffersDatabase: ChangeSignal {
  public func fetchDataVersion() throws -> Int64 {
    do {
      return try version.fetch()
    } catch {
      throw StorageFailure.translate(error, path: path)
    }
  }
}
