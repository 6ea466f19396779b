import GRDB
import OffersCore

extension OffersDatabase {
  /// Opens a damaged database to salvage its readable rows. The file is not even migrated.
  ///
  /// - Throws: `OffersError`: `notFound`, `newerDatabase`, or `storageFailed` if the file belongs
  ///   to another program or has neither a table of offers nor one of favorites.
  package static func open(salvaging path: String) async throws -> OffersDatabase {
    try check(path: path)
    try SQLiteLibrary.check()
    let (file, header) = try await find(path)
    if [.missing, .empty, .blank].contains(header) { throw missing(at: file.path) }
    let reader = ReadingPool(file, isSalvage: true)
    do {
      try await reader.readWithoutTransaction(SalvageReader.checkTables)
    } catch {
      throw StorageFailure.translateLoss(error, path: path)
    }
    return OffersDatabase(path: path, file: file, reader: reader, writer: nil)
  }

  package func salvage<Result: Sendable>(
    favoritesOnly: Bool, _ body: @escaping @Sendable (any SalvagedRecords) throws -> Result
  ) async throws -> Result {
    try await readWithoutTransaction { try body(SalvageReader($0, favoritesOnly: favoritesOnly)) }
  }
}
