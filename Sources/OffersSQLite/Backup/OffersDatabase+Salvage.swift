import GRDB
import OffersCore

extension OffersDatabase {
  /// Reads the readable rows of a damaged database.
  ///
  /// - Parameter body: reads the records; the query is valid only during the call.
  package func salvage<Result: Sendable>(
    favoritesOnly: Bool, _ body: @escaping @Sendable (SalvageQuery) throws -> Result
  ) async throws -> Result {
    try await readWithoutTransaction { try body(SalvageQuery($0, favoritesOnly: favoritesOnly)) }
  }
}
