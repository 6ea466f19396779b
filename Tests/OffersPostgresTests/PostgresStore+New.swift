import OffersTestSupport

@testable import OffersPostgres

extension PostgresStore {
  /// Opens a store in a new database, which is removed when `made` is released.
  static func openNew() async throws -> (made: TestDatabase, store: PostgresStore) {
    let made = try await TestCluster.shared.value.makeDatabase()
    return (made, try await open(url: made.url()))
  }
}
