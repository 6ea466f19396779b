import OffersTestSupport
import TestStores

@testable import OffersPostgres

extension PostgresStore {
  /// Opens a store in a new database, which is removed when `made` is released.
  static func openNew(
    _ leaseTimes: LeaseTimes = LeaseTimes()
  ) async throws -> (made: TestDatabase, store: PostgresStore) {
    let made = try await TestDatabase.makeStore()
    return (made, try await open(made, leaseTimes))
  }

  /// Opens the store of a database.
  static func open(
    _ made: TestDatabase, _ leaseTimes: LeaseTimes = LeaseTimes()
  ) async throws -> PostgresStore {
    try await open(
      DatabaseURL(made.url()), access: .readWrite, proposesFeed: false, leaseTimes: leaseTimes)
  }
}
